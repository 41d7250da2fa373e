// The rewriting of flatten.ts for records of 0.44 and later, with simdjson On-Demand. Older
// records and those of session files are copied. The bench builds it if c++ and libsimdjson are
// installed.

#include <simdjson.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using std::string;
using std::string_view;
using namespace simdjson;

constexpr size_t BLOCK = 1 << 20;
using Members = std::vector<std::pair<string_view, string_view>>;

static ondemand::parser parser;

/// Returns the normalized name of a payload's field; empty if the field is not in the payload.
static string_view renamed(string_view type, string_view name) {
  auto is = [&](string_view other) { return name == other; };
  if (type == "agent_message" || type == "reasoning") return is("text") ? name : "";
  if (type == "command_execution") {
    if (is("aggregated_output")) return "stdout";
    if (is("command")) return name;
  }
  if (type == "command_execution" || type == "file_change") {
    if (is("exit_code") || is("stdout") || is("stderr")) return name;
    return type == "file_change" && is("changes") ? name : "";
  }
  if (type == "mcp_tool_call") {
    if (is("server")) return "server_name";
    if (is("tool")) return "tool_name";
    return is("arguments") || is("result") || is("error") ? name : "";
  }
  if (type == "web_search") {
    return is("query") || is("action") || is("results") ? name : "";
  }
  if (type == "todo_list") return is("items") ? name : "";
  return type == "error" && (is("message") || is("code")) ? name : "";
}

static bool hasPayload(string_view type) {
  return type == "agent_message" || type == "reasoning" ||
    type == "command_execution" || type == "file_change" ||
    type == "mcp_tool_call" || type == "web_search" || type == "todo_list" ||
    type == "error";
}

static string_view get(const Members& members, string_view name) {
  for (const auto& [each, value] : members) {
    if (each == name) return value;
  }
  return {};
}

static string_view unquoted(string_view value) {
  return value.size() < 2 ? "" : value.substr(1, value.size() - 2);
}

static string_view trimmed(string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') {
    text.remove_suffix(1);
  }
  return text;
}

static void member(string& out, string_view name, string_view value) {
  if (out.back() != '{') out += ',';
  out += '"';
  out += name;
  out += "\":";
  out += value;
}

/// Returns the text of a value; containers are walked to find their ends.
static string_view textOf(ondemand::value value) {
  ondemand::json_type type = value.type();
  if (type == ondemand::json_type::object) return value.get_object().value().raw_json();
  if (type == ondemand::json_type::array) return value.get_array().value().raw_json();
  return trimmed(value.raw_json_token());
}

static void addMember(Members& members, ondemand::field field) {
  const char* key = field.key().raw();
  const char* end = key;
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  members.emplace_back(string_view(key, end - key), textOf(field.value()));
}

class Flattening {
  string thread, turn;
  size_t turns = 0;
  Members members, item;

  void ids(string& out, string_view type) {
    out += "\"type\":\"";
    out += type;
    out += '"';
    member(out, "thread_id", thread);
    if (!turn.empty()) member(out, "turn_id", turn);
  }

  void writeItem(string_view type, string& out, const std::vector<Members>& steps) {
    bool isDelta = type == "item.updated";
    string_view itemType = get(item, "type");
    string_view kind = unquoted(itemType);
    out += '{';
    ids(out, isDelta ? "item.delta" : type);
    member(out, "item_id", get(item, "id"));
    string_view status = get(item, "status");
    if (!status.empty()) member(out, "status", status);
    else if (type == "item.started") member(out, "status", "\"in_progress\"");
    else if (type == "item.completed") member(out, "status", "\"completed\"");
    member(out, "item_type", itemType);
    if (isDelta) member(out, "snapshot", "true");
    if (hasPayload(kind)) {
      member(out, isDelta ? "delta" : "content", "{");
      for (const auto& [name, value] : item) {
        string_view to = renamed(kind, name);
        if (to.empty() || value == "null") continue;
        if (kind == "todo_list") writeSteps(out, steps);
        else member(out, to, value);
      }
      out += '}';
    }
    for (const auto& [name, value] : item) {
      if (name == "type" || name == "id" || name == "status") continue;
      if (renamed(kind, name).empty()) member(out, name, value);
    }
    out += '}';
  }

  /// Writes the steps of a plan, with `text` renamed to `title`.
  static void writeSteps(string& out, const std::vector<Members>& steps) {
    member(out, "items", "[");
    for (const Members& step : steps) {
      if (out.back() != '[') out += ',';
      out += '{';
      member(out, "title", get(step, "text"));
      member(out, "completed", get(step, "completed"));
      for (const auto& [name, value] : step) {
        if (name != "text" && name != "completed") member(out, name, value);
      }
      out += '}';
    }
    out += ']';
  }

public:
  /// Flattens a line, which must be followed by SIMDJSON_PADDING bytes.
  void flatten(const char* text, size_t length, size_t room, string& out) {
    members.clear();
    item.clear();
    std::vector<Members> steps;
    ondemand::document document = parser.iterate(text, length, room);
    for (ondemand::field each : document.get_object()) {
      if (each.key() != "item") {
        addMember(members, each);
        continue;
      }
      for (ondemand::field part : each.value().get_object()) {
        if (part.key() != "items") {
          addMember(item, part);
          continue;
        }
        item.emplace_back("items", "[]");
        for (auto step : part.value().get_array()) {
          steps.emplace_back();
          for (ondemand::field each : step.get_object()) {
            addMember(steps.back(), each);
          }
        }
      }
    }
    string_view type = unquoted(get(members, "type"));
    if (!item.empty() && type.substr(0, 5) == "item.") return writeItem(type, out, steps);
    if (type == "thread.started") {
      thread = get(members, "thread_id");
      turn.clear();
    } else if (type.substr(0, 5) == "turn." && get(members, "payload").empty()) {
      if (type == "turn.started") {
        turn = "\"synthetic-turn-" + std::to_string(++turns) + '"';
      }
      out += '{';
      ids(out, type);
      for (const auto& [name, value] : members) {
        if (name != "type") member(out, name, value);
      }
      out += '}';
      if (type != "turn.started") turn.clear();
      return;
    }
    out.append(text, length);
  }
};

int main(int, char** arguments) {
  FILE* file = arguments[1] ? fopen(arguments[1], "rb") : nullptr;
  if (file == nullptr) return 2;
  std::vector<char> block(BLOCK + SIMDJSON_PADDING);
  Flattening flattening;
  string out;
  size_t kept = 0;
  try {
    for (;;) {
      size_t room = block.size() - SIMDJSON_PADDING;
      if (kept == room) block.resize(2 * room + SIMDJSON_PADDING), room *= 2;
      size_t size = fread(block.data() + kept, 1, room - kept, file);
      size_t filled = kept + size;
      size_t start = 0;
      while (start < filled) {
        const char* text = block.data() + start;
        const char* end = static_cast<const char*>(memchr(text, '\n', filled - start));
        if (end == nullptr && size > 0) break;
        size_t length = end == nullptr ? filled - start : end - text;
        flattening.flatten(text, length, block.size() - start, out);
        out += '\n';
        start += length + 1;
      }
      fwrite(out.data(), 1, out.size(), stdout);
      out.clear();
      if (size == 0) return 0;
      memmove(block.data(), block.data() + start, filled - start);
      kept = filled - start;
    }
  } catch (const simdjson_error& error) {
    fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
