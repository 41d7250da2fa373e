/**
 * Receives traces like an OTLP collector, and appends the names of their spans to a file. It is a
 * program of its own, because tests may not use the network. Prints its URL as one line.
 *
 * @module
 */

import { faultsOf, spansOf } from "./otlp_faults.ts";

const [path = ""] = Deno.args;

const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  async (request) => {
    const { method, headers, url } = request;
    const isTraces = method === "POST" && url.endsWith("/v1/traces");
    if (!isTraces) return new Response(null, { status: 404 });
    if (headers.get("Content-Type") !== "application/json") {
      return new Response(null, { status: 415 });
    }
    const spans = spansOf(await request.text());
    const faults = faultsOf(spans);
    if (faults.length > 0 || spans.length === 0) {
      return new Response(faults.join("\n"), { status: 400 });
    }
    const names = spans.map(({ name }) => name).join(", ");
    await Deno.writeTextFile(path, `${names}\n`, { append: true });
    return Response.json({});
  },
);
const { port } = server.addr;
await Deno.stdout.write(
  new TextEncoder().encode(`http://127.0.0.1:${port}\n`),
);
