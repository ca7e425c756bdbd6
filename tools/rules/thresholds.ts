// The dashboard imports no server code, so the numbers are in both.
const own = 'admin/src/pages/overview/thresholds.ts';
const server = 'gateway/src/statistics/concerns/thresholds.ts';

/** The limits at which the dashboard draws a concern are the limits at which the server finds one. */
export function compareThresholds(read: (file: string) => string): string[] {
  /** The exports of a file, without the comment at its head. */
  const exportsOf = (file: string) => read(file).replace(/^[\s\S]*?(?=^export )/m, '');
  return exportsOf(own) === exportsOf(server) ? [] : [`${own} differs from ${server}`];
}
