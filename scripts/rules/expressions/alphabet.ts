import type { AST } from '@eslint-community/regexpp';

/** One character stands for all that the expression cannot tell apart. A set of them is a mask of bits. */
export interface Alphabet {
  characters: string[];
  /** Every character, without the end of the text. */
  all: bigint;
  /** The bit of the end of the text. */
  end: bigint;
  words: bigint;
  lineEnds: bigint;
  maskOf(element: Element): bigint;
}

export type Element = AST.Character | AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass;

/** Latin 1, then one of each kind that a class can name: case folds, marks, digits, blanks, halves of pairs. */
const candidates = [
  ...Array.from({ length: 0x100 }, (_, code) => code),
  ...[0x130, 0x131, 0x17f],
  ...[0x300, 0x660, 0x2003, 0x2028, 0x2029, 0x212a, 0x3000, 0x4e00, 0xd800, 0xfeff, 0x1f600],
];

/** Splits all characters into those that an expression treats alike. The engine itself decides what an element matches. */
export function createAlphabet(elements: Element[], flags: string): Alphabet {
  const named = elements.flatMap((element) => codesOf(element)).flatMap((code) => [code - 1, code, code + 1]);
  // Printable characters first: they become the example that a complaint shows.
  const codes = [...new Set([...candidates, ...named])]
    .filter((code) => code >= 0 && code <= 0x10ffff)
    .sort((a, b) => rank(a) - rank(b));
  const tests = new Map<string, RegExp>();
  for (const { raw } of elements) tests.set(raw, new RegExp(`^(?:${raw})$`, flags.replace(/[gmyd]/g, '')));
  const isUnicode = /[uv]/.test(flags);
  const classes = new Map<string, string>();
  for (const code of codes) {
    if (code > 0xffff && !isUnicode) continue;
    const character = String.fromCodePoint(code);
    const signs = [/\w/, /[\n\r\u2028\u2029]/, ...tests.values()]
      .map((test) => +test.test(character))
      .join('');
    if (!classes.has(signs)) classes.set(signs, character);
  }
  const characters = [...classes.values()];
  const select = (test: RegExp) =>
    characters.reduce((mask, character, at) => (test.test(character) ? mask | (1n << BigInt(at)) : mask), 0n);
  const masks = new Map([...tests].map(([raw, test]) => [raw, select(test)]));
  const end = 1n << BigInt(characters.length);
  return {
    characters,
    all: end - 1n,
    end,
    words: select(/\w/),
    lineEnds: select(/[\n\r\u2028\u2029]/),
    maskOf: ({ raw }) => masks.get(raw) ?? 0n,
  };
}

function rank(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return code - 0x10000;
  return code > 0x20 && code < 0x7f ? code - 0x8000 : code;
}

function codesOf(element: AST.Node): number[] {
  if (element.type === 'Character') return [element.value];
  if (element.type === 'CharacterClassRange') return [element.min.value, element.max.value];
  return 'elements' in element ? element.elements.flatMap((each: AST.Node) => codesOf(each)) : [];
}
