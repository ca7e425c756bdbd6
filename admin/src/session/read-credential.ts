type ReadCredential = { credential: string; fault: null } | { credential: null; fault: string };

/** What a request can carry, and the server makes its keys and tokens of. */
const visibleAscii = /^[\x21-\x7e]+$/;

/** What somebody has entered for a key. It may be pasted with the `Bearer` that stands before it in a header. */
export function readCredential(entered: string): ReadCredential {
  const credential = entered.trim().replace(/^Bearer(\s+|$)/i, '');
  if (credential === '') return { credential: null, fault: 'Enter a key.' };
  if (/(…|\.\.\.)$/.test(credential))
    return {
      credential: null,
      fault:
        'That is only the beginning of a key, as lists show it. The whole key was shown when it was made.',
    };
  if (!visibleAscii.test(credential)) return { credential: null, fault: 'That is not a whole key.' };
  return { credential, fault: null };
}
