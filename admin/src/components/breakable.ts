/** A shorter text usually has room on a line. */
const shortest = 16;
/** More places do not make a text fit better, and a hostile one would have a thousand. */
const mostPieces = 12;
/** Behind these, words of a URL, an address or an ID begin. Browsers break a line behind hyphens and spaces by themselves. */
const separators = /(?<=[/:._@,=&])(?=[\p{L}\p{N}])/u;

/** The parts of a text between which a line may break. Without them, a browser breaks a URL within a word. */
export function breakable(text: string): string[] {
  if (text.length < shortest) return [text];
  const pieces = text.split(separators);
  return pieces.length <= mostPieces
    ? pieces
    : [...pieces.slice(0, mostPieces - 1), pieces.slice(mostPieces - 1).join('')];
}
