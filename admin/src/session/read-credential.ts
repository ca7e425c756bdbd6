type ReadCredential = { credential: string; fault: null } | { credential: null; fault: string };

/** The characters that a header can carry. Keys and tokens consist of these. */
const visibleAscii = /^[\x21-\x7e]+$/;

/** Reads a key that an admin entered. A pasted header value may start with `Bearer`. */
export function readCredential(entered: string): ReadCredential {
  const credential = entered.trim().replace(/^Bearer(\s+|$)/i, '');
  if (credential === '') return { credential: null, fault: 'Enter a key.' };
  if (/(…|\.\.\.)$/.test(credential))
    return {
      credential: null,
      fault: 'That is only a key prefix, as shown in lists. The full key was shown when it was created.',
    };
  if (!visibleAscii.test(credential)) return { credential: null, fault: 'That is not a complete key.' };
  return { credential, fault: null };
}
