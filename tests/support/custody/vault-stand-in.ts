import {
  constants,
  createDecipheriv,
  createHmac,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
  randomUUID,
} from 'node:crypto';
import { listen, type StandIn, type StandInAnswer } from './listen.ts';

/** Vault's HTTP API as the wire shows it: AppRole, tokens with an end, and the transit engine with HMAC keys that are imported. */
export interface VaultStandIn extends StandIn {
  /** How often an HMAC was asked for. */
  calls(): number;
  /** How often AppRole logged in, and how often a token was renewed. */
  logins(): number;
  renewals(): number;
  /** Sets the answer to every call from now on; null: as Vault answers. */
  fail(how: VaultFailure | null): void;
  /** A token that may use the key. */
  makeToken(): string;
  /** As if their time were over. */
  endTokens(): void;
  /** Turns the key to its next version, with other bytes. */
  rotate(): void;
  /** The environment of a process that uses it with a token. */
  env: Readonly<Record<string, string>>;
  /** In place of VAULT_TOKEN. */
  appRole: Readonly<Record<string, string>>;
}

type VaultFailure =
  | { status: number; errors: readonly string[]; headers?: Readonly<Record<string, string>> }
  | 'silence'
  | { hmac: string };

const keyName = 'latchkey-1';
const leaseSeconds = 3_600;
const [roleId, secretId] = ['role-of-latchkey', 'secret-of-latchkey'];
/** Vault's own has 4,096 bits, which take seconds to make. The first part of a ciphertext is as long as the key. */
const wrappingBits = 2_048;

/** The state that the test changes while it runs. */
interface VaultState {
  /** The bytes of each version of the key. */
  versions: Buffer[];
  tokens: Set<string>;
  failure: VaultFailure | null;
  calls: number;
  logins: number;
  renewals: number;
}

type Route = (body: Record<string, unknown>, token: string) => StandInAnswer;

function describeRoutes(state: VaultState): Record<string, Route> {
  const { versions } = state;
  let wrapping: { publicKey: KeyObject; privateKey: KeyObject } | null = null;
  return {
    [`POST transit/hmac/${keyName}/sha2-256`]({ input, key_version: asked }) {
      state.calls++;
      const version = Number(asked ?? versions.length);
      const used = versions[version - 1];
      if (!used) return refuse(400, 'encryption key not found');
      const mac = createHmac('sha256', used)
        .update(Buffer.from(String(input), 'base64'))
        .digest('base64');
      const { failure } = state;
      const forced = typeof failure === 'object' && failure && 'hmac' in failure ? failure.hmac : null;
      return ok({ data: { hmac: forced ?? `vault:v${version}:${mac}` } });
    },
    'GET transit/wrapping_key'() {
      wrapping ??= generateKeyPairSync('rsa', { modulusLength: wrappingBits });
      return ok({ data: { public_key: wrapping.publicKey.export({ type: 'spki', format: 'pem' }) } });
    },
    [`POST transit/keys/${keyName}/import`]({ type, hash_function: hash, ciphertext, exportable }) {
      if (versions.length > 0) return refuse(500, 'the import path cannot be used with an existing key');
      if (type !== 'hmac' || hash !== 'SHA256' || exportable !== false)
        return refuse(400, 'wrong parameters');
      versions.push(unwrap(Buffer.from(String(ciphertext), 'base64'), wrapping?.privateKey));
      return { status: 204, json: undefined };
    },
    'POST auth/token/renew-self'(_body, token) {
      state.renewals++;
      return grant(token);
    },
  };
}

/** @param key of the transit engine; null for none yet */
export async function startVaultStandIn(key: Buffer | null): Promise<VaultStandIn> {
  const state: VaultState = {
    versions: key ? [key] : [],
    tokens: new Set(),
    failure: null,
    calls: 0,
    logins: 0,
    renewals: 0,
  };
  const routes = describeRoutes(state);
  const makeToken = () => {
    const token = `hvs.${randomUUID()}`;
    state.tokens.add(token);
    return token;
  };
  const logIn = (body: Record<string, unknown>) => {
    state.logins++;
    const isRight = body.role_id === roleId && body.secret_id === secretId;
    return isRight ? grant(makeToken()) : refuse(400, 'invalid role or secret ID');
  };
  const standIn = await listen(({ method, url = '', headers }, text) => {
    const { failure } = state;
    if (failure === 'silence') return null;
    if (failure && 'status' in failure)
      return { status: failure.status, json: { errors: failure.errors }, headers: failure.headers ?? {} };
    const path = `${method} ${url.replace(/^\/v1\//, '')}`;
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    if (path === 'POST auth/approle/login') return logIn(body);
    const token = String(headers['x-vault-token']);
    if (!state.tokens.has(token)) return refuse(403, 'permission denied');
    return routes[path]?.(body, token) ?? refuse(404, 'no handler for route');
  });
  return {
    ...standIn,
    calls: () => state.calls,
    logins: () => state.logins,
    renewals: () => state.renewals,
    fail: (how) => {
      state.failure = how;
    },
    makeToken,
    endTokens: () => state.tokens.clear(),
    rotate: () => void state.versions.push(Buffer.alloc(32, state.versions.length)),
    env: {
      MASTER_KEY_PROVIDER: 'vault-transit',
      VAULT_ADDR: standIn.url,
      VAULT_TRANSIT_KEY: keyName,
      VAULT_TOKEN: makeToken(),
    },
    appRole: { VAULT_ROLE_ID: roleId, VAULT_SECRET_ID: secretId },
  };
}

/** RSA-OAEP and AES Key Wrap with Padding (RFC 5649), as Vault's import undoes them. */
function unwrap(ciphertext: Buffer, privateKey: KeyObject | undefined): Buffer {
  if (!privateKey) throw new Error('no wrapping key was asked for');
  const length = wrappingBits / 8;
  const oaep = { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  const wrappingKey = privateDecrypt(oaep, ciphertext.subarray(0, length));
  const decipher = createDecipheriv('id-aes256-wrap-pad', wrappingKey, Buffer.from('a65959a6', 'hex'));
  return Buffer.concat([decipher.update(ciphertext.subarray(length)), decipher.final()]);
}

const grant = (token: string) =>
  ok({ auth: { client_token: token, lease_duration: leaseSeconds, renewable: true } });
const ok = (json: unknown): StandInAnswer => ({ status: 200, json });
const refuse = (status: number, error: string): StandInAnswer => ({ status, json: { errors: [error] } });
