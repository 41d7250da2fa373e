export * from "../../json/fields.ts";
