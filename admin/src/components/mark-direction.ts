/** The characters that change the direction of text (Unicode UAX #9, section 2). They are invisible, and can turn a name around. */
const directionCharacters = /([\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069])/u;

/** A part of a text: visible text, or the name of a character that changes the direction, such as "U+202E". */
export interface TextPart {
  text: string;
  isMark: boolean;
}

/** Splits a text at the characters that change its direction, and names them. */
export function markDirection(text: string): TextPart[] {
  // `split` puts the captured separators at the odd places.
  return text
    .split(directionCharacters)
    .map((part, place) => (place % 2 ? { text: nameOf(part), isMark: true } : { text: part, isMark: false }))
    .filter((part) => part.text !== '');
}

/** The text with each such character named in brackets, for places that take plain text only: titles and labels. */
export function withoutDirection(text: string): string {
  return markDirection(text)
    .map((part) => (part.isMark ? `[${part.text}]` : part.text))
    .join('');
}

function nameOf(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
