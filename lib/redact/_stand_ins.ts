/**
 * What people and programs write where a secret would stand.
 */

/** Variables, templates, tags: what something else will fill in. */
const REFERENCE_REGEXP =
  /^(?:\$(?:$|[A-Za-z_{(0-9@*#])|<|\{\{|\{[a-z_ ]*\}|%[A-Za-z_]+%|%[sdv]|@[A-Z]|#\{|\.\.\.|…)|^(?:process|os|env|secrets|vars|import|context|settings|config|self|this)\.[a-z]/i;
/** Nothing but one sign, however often. */
const ONE_SIGN_REGEXP = /^(?:x+|\*+|\.+|-+|_+|•+|#+|\?+|…+)$/i;
const WORDS_REGEXP =
  /^(?:and|any|are|argument|bool|boolean|bytes|char|disabled|empty|enabled|false|flag|flags|float|for|from|function|hidden|int|integer|invalid|is|masked|missing|nil|no|none|not|null|number|object|omitted|option|optional|options|or|parameter|read|redacted|required|str|string|true|undefined|unknown|unset|value|varchar|void|with|write|yes)$/i;
const YOURS_REGEXP = /^(?:your|my|the|some|insert|enter|paste)[-_ ]/i;

/**
 * Tells what only stands for a secret: a variable, a template, a type, asterisks.
 *
 * @param value What stands where a secret would.
 * @returns Whether it is none.
 */
export function isStandIn(value: string): boolean {
  // None of these is long, and no test should read a long value.
  const text = value.slice(0, 200).trim();
  return REFERENCE_REGEXP.test(text) || ONE_SIGN_REGEXP.test(text) ||
    WORDS_REGEXP.test(text) || YOURS_REGEXP.test(text);
}
