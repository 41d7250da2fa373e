# The rewriting of flatten.ts for jq and gojq, to be run with -n. It does a little less: it keeps
# no state of the begins of calls or of texts in deltas.

def without_nulls: with_entries(select(.value != null));

def content($type):
  if $type == "command_execution" then
    {command, exit_code, stdout: (.stdout // .aggregated_output), stderr}
  elif $type == "agent_message" or $type == "reasoning" then {text}
  elif $type == "mcp_tool_call" then
    {server_name: .server, tool_name: .tool, arguments, result, error}
  elif $type == "file_change" then {changes, exit_code, stdout, stderr}
  elif $type == "web_search" then {query, action, results}
  elif $type == "todo_list" then
    {items: [(.items // .plan)[] | {title: (.text // .step)} + del(.text, .step)]}
  elif $type == "error" then {message, code}
  else null end
  | if . == null then null else without_nulls end;

def rest($type):
  if $type == "command_execution" then
    del(.command, .exit_code, .stdout, .aggregated_output, .stderr)
  elif $type == "agent_message" or $type == "reasoning" then del(.text)
  elif $type == "mcp_tool_call" then
    del(.server, .tool, .arguments, .result, .error)
  elif $type == "file_change" then del(.changes, .exit_code, .stdout, .stderr)
  elif $type == "web_search" then del(.query, .action, .results)
  elif $type == "todo_list" then del(.items, .plan)
  elif $type == "error" then del(.message, .code)
  else . end;

# Takes the state as `.`, and the fields of an item line as $fields.
def item($type; $id; $item_type; $fields):
  .out = (
    {
      type: $type,
      thread_id: .thread,
      turn_id: .turn,
      item_id: $id,
      status: (
        $fields.status //
          if $type == "item.completed" then "completed"
          elif $type == "item.started" then "in_progress"
          else null end
      ),
      item_type: $item_type,
    }
    + if $type == "item.delta" then
        if $fields.delta then {delta: $fields.delta}
        else {snapshot: true, delta: ($fields | content($item_type))} end
      else {content: ($fields.content // ($fields | content($item_type)))} end
    | without_nulls
  ) + ($fields | del(.type, .call_id, .status, .delta, .content) | rest($item_type));

def new_item($item_type; $fields):
  .items += 1
  | item("item.completed"; "item_\(.items - 1)"; $item_type; $fields);

def text_of_chunk: if type == "string" then @base64d else implode end;

def word: if test("^[A-Za-z0-9_@%+=:,./-]+$") then . else @sh end;

def message($type; $fields):
  if $type == "task_started" then
    .turn = $fields.id
    | .out = {type: "turn.started", thread_id: .thread, turn_id: .turn}
        + ($fields | del(.type))
  elif $type == "exec_command_begin" then
    ($fields | .command |= (map(word) | join(" "))) as $begun
    | item("item.started"; $fields.call_id; "command_execution"; $begun)
  elif $type == "exec_command_output_delta" then
    ($fields | .delta = {(.stream): (.chunk | text_of_chunk)} | del(.stream, .chunk))
      as $delta
    | item("item.delta"; $fields.call_id; "command_execution"; $delta)
  elif $type == "exec_command_end" then
    item("item.completed"; $fields.call_id; "command_execution"; $fields)
  elif $type == "mcp_tool_call_begin" then
    item("item.started"; $fields.call_id; "mcp_tool_call"; $fields + $fields.invocation)
  elif $type == "mcp_tool_call_end" then
    item("item.completed"; $fields.call_id; "mcp_tool_call"; $fields + $fields.invocation)
  elif $type == "patch_apply_begin" then
    item("item.started"; $fields.call_id; "file_change"; $fields)
  elif $type == "patch_apply_end" then
    item("item.completed"; $fields.call_id; "file_change"; $fields)
  elif $type == "plan_update" then new_item("todo_list"; $fields)
  elif $type == "agent_message" or $type == "agent_reasoning" then
    new_item(
      if $type == "agent_message" then $type else "reasoning" end;
      $fields | .content = {text: (.message // .text)} | del(.message, .text)
    )
  else new_item($type; $fields) end;

foreach inputs as $line ({turns: 0, threads: 0, items: 0};
  if $line | has("payload") then .out = $line
  elif $line | has("msg") then
    message($line.msg.type; {id: $line.id} + $line.msg)
  elif $line.type == "thread.started" then
    .thread = $line.thread_id | .turn = null | .out = $line
  elif $line.type == "turn.started" then
    .turns += 1
    | .turn = "synthetic-turn-\(.turns)"
    | .out = {type: $line.type, thread_id: .thread, turn_id: .turn} + $line
  elif $line | has("item") then
    item(
      if $line.type == "item.updated" then "item.delta" else $line.type end;
      $line.item.id;
      $line.item.type;
      $line.item | del(.id)
    )
  elif $line | has("prompt") then
    new_item("user_message"; {content: {text: $line.prompt}})
  elif $line | has("type") then
    .out = {type: $line.type, thread_id: .thread, turn_id: .turn} + $line
  else
    .threads += 1
    | .items = 0
    | .thread = "synthetic-thread-\(.threads)"
    | .turn = null
    | .out = {type: "thread.started", thread_id: .thread} + $line
  end;
  .out)
