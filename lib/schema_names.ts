/** The names of the types that have a JSON Schema. */

/** The names of the types that codexpipe writes. */
export const JSON_SCHEMA_NAMES = [
  "ThreadEvent",
  "SessionItem",
  "LineFailed",
  "RolloutLine",
  "HistorySnapshot",
  "HistoryMutation",
  "UsageReport",
  "UsageRecord",
  "UsageDerivationRecord",
  "VerdictRecord",
  "HappeningRecord",
  "DriftReport",
  "DriftFinding",
  "SessionListReport",
  "SessionRecord",
  "SessionSizesReport",
  "SessionSizeRecord",
  "SessionSizeGroup",
  "ThreadRow",
  "TurnRow",
  "ItemRow",
  "ToolCallRow",
  "RequestRow",
  "FailureRow",
] as const;

/** The name of a type that codexpipe writes. */
export type JsonSchemaName = typeof JSON_SCHEMA_NAMES[number];
