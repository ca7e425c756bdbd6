import { hkdfSync } from 'node:crypto';
import { request } from 'undici';
import { keyMaterial } from '../stack/secrets.ts';

const keyBytes = 16;
/** More than there are processes of a kind, several times over. */
const requests = 12;

/** The key of a content: HKDF-SHA-256 (RFC 5869), computed without the code of the server. */
export function expectedKey(contentId: string, material = keyMaterial): Buffer {
  const [ikm, salt] = [material.MASTER_KEY_HEX, material.SALT_HEX].map((hex) => Buffer.from(hex, 'hex'));
  return Buffer.from(hkdfSync('sha256', ikm as Buffer, salt as Buffer, contentId, keyBytes));
}

interface ExpectedKey {
  contentId: string;
  token: string;
  leaseId: string;
  material: typeof keyMaterial;
}

/** Fetches a key from each process. @returns what is wrong with one of the answers; null if nothing is */
export async function judgeKeys(
  origin: () => string,
  { contentId, token, leaseId, material }: ExpectedKey,
): Promise<string | null> {
  const expected = expectedKey(contentId, material);
  const headers = { authorization: `Bearer ${token}`, 'x-lease-id': leaseId };
  for (let count = 0; count < requests; count++) {
    const { statusCode, body } = await request(`${origin()}/keys/${contentId}`, { headers });
    const bytes = Buffer.from(await body.arrayBuffer());
    if (statusCode !== 200) return `${statusCode} ${bytes.toString().slice(0, 200)}`;
    if (!bytes.equals(expected)) return 'other bytes than those of the key';
  }
  return null;
}
