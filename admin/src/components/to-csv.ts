/**
 * One line of RFC 4180. A cell that a spreadsheet would run as a formula gets an apostrophe in front, which makes it text (OWASP, "CSV
 * Injection"): viewers choose their IDs, and an admin opens the file.
 */
export function toCsvLine(cells: readonly (string | null | undefined)[]): string {
  const written = cells.map((cell) => {
    const text = /^[=+\-@\t\r]/.test(cell ?? '') ? `'${cell}` : (cell ?? '');
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${written.join(',')}\r\n`;
}
