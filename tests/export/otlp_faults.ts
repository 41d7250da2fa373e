/**
 * Finds faults in spans that a collector refuses, or that break the tree of a trace.
 *
 * @module
 */

/** An attribute, in the form of OTLP/JSON. */
interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** A span, in the form of OTLP/JSON. */
export interface SpanJson {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: number | string;
  readonly endTimeUnixNano: number | string;
  readonly attributes: readonly Attribute[];
  readonly events?: readonly {
    readonly timeUnixNano: number;
    readonly name: string;
    readonly attributes: readonly Attribute[];
  }[];
  readonly links?: readonly {
    readonly traceId: string;
    readonly spanId: string;
  }[];
  readonly status?: { readonly code: number; readonly message?: string };
}

/** The fields of the message `Span` (opentelemetry-proto 1.x), by their names in JSON. */
const FIELDS: ReadonlySet<string> = new Set([
  "attributes",
  "droppedAttributesCount",
  "droppedEventsCount",
  "droppedLinksCount",
  "endTimeUnixNano",
  "events",
  "flags",
  "kind",
  "links",
  "name",
  "parentSpanId",
  "spanId",
  "startTimeUnixNano",
  "status",
  "traceId",
  "traceState",
]);

/**
 * Reads the spans of requests.
 *
 * @param text One `ExportTraceServiceRequest` a line.
 */
export function spansOf(text: string): SpanJson[] {
  return text.split("\n").filter((line) => line !== "").flatMap((line) =>
    JSON.parse(line).resourceSpans.flatMap((
      { scopeSpans }: { scopeSpans: { spans: SpanJson[] }[] },
    ) => scopeSpans.flatMap(({ spans }) => spans))
  );
}

/** Returns the number or string of the attribute `key` of a span or event. */
export function valueOf(
  { attributes }: { readonly attributes: readonly Attribute[] },
  key: string,
): unknown {
  const { value = {} } = attributes.find((each) => each.key === key) ?? {};
  return Object.values(value)[0];
}

/**
 * Finds the faults of spans.
 *
 * @param spans All spans of their traces.
 * @returns The faults; none if a collector accepts the spans, and each trace is one closed tree.
 */
export function faultsOf(spans: readonly SpanJson[]): string[] {
  const ids = new Set(spans.map((span) => span.traceId + span.spanId));
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
  return [
    ...(ids.size === spans.length ? [] : ["two spans have one id"]),
    ...(new Set(spans.map(({ traceId }) => traceId)).size === roots.length
      ? []
      : ["a trace has no root, or two"]),
    ...spans.flatMap((span) =>
      spanFaults(span, ids).map((fault) => `${span.name}: ${fault}`)
    ),
  ];
}

function spanFaults(span: SpanJson, ids: ReadonlySet<string>): string[] {
  const { traceId, spanId, parentSpanId, kind, status } = span;
  const [start, end] = [span.startTimeUnixNano, span.endTimeUnixNano];
  const isTree = parentSpanId === undefined || ids.has(traceId + parentSpanId);
  const faults = Object.keys(span).filter((name) => !FIELDS.has(name))
    .map((name) => `unknown field ${name}`);
  if (!isId(traceId, 32) || !isId(spanId, 16)) faults.push("a bad id");
  if (!isTree) faults.push("its parent is missing");
  if (!isTime(start) || !isTime(end)) faults.push("a bad time");
  else if (BigInt(end) < BigInt(start)) faults.push("it ends before it begins");
  if (![1, 3].includes(kind)) faults.push(`kind ${kind}`);
  if (status !== undefined && status.code !== 2) faults.push("a bad status");
  for (const link of span.links ?? []) {
    if (!isId(link.traceId, 32) || !isId(link.spanId, 16)) {
      faults.push("a bad link");
    }
  }
  for (const { timeUnixNano } of span.events ?? []) {
    if (!isTime(timeUnixNano)) faults.push("a bad time of an event");
  }
  for (const { key, value } of span.attributes) {
    const [[kind, content] = [], ...more] = Object.entries(value);
    const isValue = more.length === 0 &&
      (kind === "stringValue" && typeof content === "string" ||
        kind === "intValue" && isWhole(content));
    if (!isValue) faults.push(`a bad value of ${key}`);
  }
  return faults;
}

function isId(id: string, length: number): boolean {
  return id.length === length && /^[\da-f]+$/.test(id) && !/^0+$/.test(id);
}

/** Whether a value is a 64-bit integer, which is a number or a string in OTLP/JSON. */
function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value) ||
    typeof value === "string" && /^-?\d+$/.test(value);
}

function isTime(value: unknown): boolean {
  return typeof value === "string"
    ? /^\d+$/.test(value)
    : Number.isInteger(value) && Number(value) >= 0;
}
