/** Words that a tired reader must decode (`CONTRIBUTING.md`, "Plain English"), each with the words in their place. */
const phrases: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/^\s*(?:\/\*\*|\*|\/\/) What /, 'a noun, such as "The settings that …"'],
  [/\bwhere (?:it|there|no)\b/, '"if" or "when"'],
  [/\b(?:those|that) of\b|\bthose that\b/i, 'the noun again'],
  [/\bsays? (?:what|that|how)\b/i, '"reports", "documents" or "explains"'],
  [/\bbeside\b/i, '"next to" or "in addition to"'],
  [/\bLeft out:/, '"Optional. Default: …"'],
  [/\bstands? (?:in|at|for)\b/i, '"is"'],
  [/\b(?:so many|is there|goes by)\b/i, 'a number, "exists" or "uses"'],
  [/\b(?:whoever|in vain|one and the same|for ever|shall)\b/i, 'the plain word'],
];

/** Documents, code and configuration files: a person reads each of them. */
const hasProse = /\.(?:md|tsx?|mjs|css|ya?ml)$/;
/** The record of what was, a generated file, and this list. */
const isExempt = /^CHANGELOG\.md$|^pnpm-lock|^admin\/src\/api\/schema\.ts$|(?:^|\/)plain-words\./;

/** Finds the sentences of a file that have one of the phrases. */
export function findDialect(file: string, text: string): string[] {
  if (!hasProse.test(file) || isExempt.test(file)) return [];
  return text.split('\n').flatMap((line, index) =>
    phrases.flatMap(([phrase, instead]) => {
      const [found] = phrase.exec(line) ?? [];
      return found === undefined ? [] : [`${file}:${index + 1}: "${found.trim()}": write ${instead}`];
    }),
  );
}
