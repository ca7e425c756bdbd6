/** The two variables that set a version of the master key: `MASTER_KEY_HEX_V2 or SALT_HEX_V2`. */
export function namesOfVersion(version: number, between: 'and' | 'or'): string {
  const suffix = version === 1 ? '' : `_V${version}`;
  return `MASTER_KEY_HEX${suffix} ${between} SALT_HEX${suffix}`;
}
