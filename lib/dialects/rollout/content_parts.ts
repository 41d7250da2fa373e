/**
 * What messages and outputs in a rollout are made of.
 *
 * @module
 */

import {
  ANY,
  list,
  maybe,
  type Members,
  type Shape,
  STRING,
  typed,
  UNKNOWN_KIND,
  variant,
} from "../../shapes/shapes.ts";
import type { UnknownKind } from "./of_type.ts";

/**
 * A part of a message, of reasoning or of an output; `isOfType()` tells them apart.
 *
 * This list may expand over time.
 */
export type ContentPart =
  | TextPart<"input_text">
  | TextPart<"output_text">
  | TextPart<"reasoning_text">
  | TextPart<"summary_text">
  | TextPart<"text">
  | ImagePart
  | EncryptedPart
  | UnknownKind;

/**
 * A text.
 *
 * @typeParam W Its type: whose text it is.
 */
export interface TextPart<W extends string> {
  /**
   * `input_text` of a prompt or an output, `output_text` of an answer, `summary_text` and
   * `reasoning_text` of reasoning (`text` in some releases).
   */
  readonly type: W;
  /** The text. */
  readonly text: string;
  /** What in the text stands for what, such as `url_citation` (0.169 and later). */
  readonly annotations?: readonly unknown[] | null;
}

/** An image. */
export interface ImagePart {
  /** Always `input_image`. */
  readonly type: "input_image";
  /** The image, a `data:` URL as a rule. */
  readonly image_url?: string | null;
  /** How closely the model looks at it (0.122 and later). */
  readonly detail?: string | null;
}

/** A text that only the server can read (0.150 and later). */
export interface EncryptedPart {
  /** Always `encrypted_content`. */
  readonly type: "encrypted_content";
  /** The encrypted text. */
  readonly encrypted_content: string;
}

const TEXT_PART: Members<Omit<TextPart<string>, "type">> = {
  text: STRING,
  annotations: maybe(list(ANY)),
};

/** @ignore The shape of {@linkcode ContentPart}. */
export const CONTENT_PART: Shape<ContentPart> = variant(
  "type",
  typed({
    input_text: TEXT_PART,
    output_text: TEXT_PART,
    reasoning_text: TEXT_PART,
    summary_text: TEXT_PART,
    text: TEXT_PART,
    input_image: { image_url: maybe(STRING), detail: maybe(STRING) },
    encrypted_content: { encrypted_content: STRING },
  }),
  UNKNOWN_KIND,
);
