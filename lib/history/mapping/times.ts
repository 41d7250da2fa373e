export * from "../../events/times.ts";
