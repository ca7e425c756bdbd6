/**
 * The rows with what has become of some of them, each in its place: nothing comes and nothing goes.
 *
 * @param changed what an event leaves out of a row stays as it was
 * @returns the same array where none of them is on the list
 */
export function takeIn<Row extends { id: string }>(
  rows: readonly Row[],
  changed: readonly Row[],
): readonly Row[] {
  const byId = new Map(changed.map((row) => [row.id, row]));
  if (!rows.some(({ id }) => byId.has(id))) return rows;
  return rows.map((row) => ({ ...row, ...byId.get(row.id) }));
}
