/** Ports that browsers refuse to open: the Fetch standard, "port blocking" (https://fetch.spec.whatwg.org/#port-blocking). */
const blockedPorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Four digits and more: single digits have many other meanings, and no server here has a port below 1024. */
const forms = [
  /(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]):(\d{4,5})\b/g,
  /\bport\b(?: of the page)?[:= `'"(]+(\d{4,5})\b/gi,
  /\b(?:port|PORT|\w+(?:Port|_PORT)|port[A-Z]\w*)['"]?\s*[:=]\s*['"`]?(\d{1,2}_?\d{3})\b/g,
  /`PORT`[^|]*\|\s*`(\d{4,5})`/g,
];

/** The ports that a text names, each once, in the order of their first mention. */
export function findNamedPorts(text: string): number[] {
  const found = forms.flatMap((form) =>
    [...text.matchAll(form)].map(({ 1: digits = '', index }) => ({
      port: Number(digits.replace('_', '')),
      index,
    })),
  );
  return [...new Set(found.sort((a, b) => a.index - b.index).map(({ port }) => port))];
}

/** Documents, code and configuration files: a port may be named in any of them. */
const namesPorts = /\.(md|ts|mjs|js|html|ya?ml|env|conf|cfg)$|Caddyfile$/;

/** Finds the ports of a file that no browser opens: a page or a player could not use a server there. */
export function findBlockedPorts(file: string, text: string): string[] {
  if (!namesPorts.test(file) || /\.test\.ts$|fixture|pnpm-lock/.test(file)) return [];
  return findNamedPorts(text)
    .filter((port) => blockedPorts.has(port))
    .map((port) => `${file} names port ${port}, which browsers refuse to open`);
}
