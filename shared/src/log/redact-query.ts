/** A name that can be shown. A token put where a name belongs is longer. */
const plainName = /^[A-Za-z0-9_.-]{1,32}$/;

/** The path with every query value hidden: `/keys/a?access_token=***`. Names stay, because they help and hide nothing. */
export function redactQuery(url: string): string {
  const start = url.indexOf('?');
  if (start === -1) return url;
  const names = url
    .slice(start + 1)
    .split('&')
    .map((pair) => {
      const [name = ''] = pair.split('=', 1);
      return plainName.test(name) ? `${name}=***` : '***';
    });
  return `${url.slice(0, start)}?${names.join('&')}`;
}
