import { Agent, request } from 'undici';
import { CustodianFault } from './key-custodian.ts';

/** A connection that is not there by then counts as lost. A call has 2 s in all. */
const connectLimitMs = 1_000;
/** As many as there are calls at once. */
const connectionsMost = 32;
/** Answers have some hundred bytes, that with a public key 1 KiB. */
const answerBytesMost = 65_536;
/** Of what Vault says of an error. */
const saidCharactersMost = 200;

interface VaultAddress {
  /** With or without a slash at its end. */
  address: string;
  namespace: string | undefined;
  /** PEM. Optional. Default: the CAs of Node. */
  ca: string | undefined;
}

interface VaultCall {
  /** Optional: a login has none. */
  token?: string;
  body?: unknown;
  signal: AbortSignal;
}

/** Calls of Vault's HTTP API, version 1. */
export interface VaultClient {
  /**
   * @param path after `/v1/`
   * @returns the JSON of the answer; null without one
   * @throws CustodianFault; the reason of the signal
   */
  call(method: 'GET' | 'POST', path: string, options: VaultCall): Promise<unknown>;
  close(): Promise<void>;
}

export function createVaultClient({ address, namespace, ca }: VaultAddress): VaultClient {
  const origin = address.replace(/(?<!\/)\/+$/, '');
  const dispatcher = new Agent({
    connect: { timeout: connectLimitMs, ...(ca !== undefined && { ca }) },
    connections: connectionsMost,
    maxResponseSize: answerBytesMost,
  });
  const common = {
    'x-vault-request': 'true',
    ...(namespace !== undefined && { 'x-vault-namespace': namespace }),
  };

  return {
    async call(method, path, { token, body, signal }) {
      const headers = {
        ...common,
        ...(token !== undefined && { 'x-vault-token': token }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      };
      const sent = { method, headers, signal, dispatcher };
      try {
        const answer = await request(
          `${origin}/v1/${path}`,
          body === undefined ? sent : { ...sent, body: JSON.stringify(body) },
        );
        const text = await answer.body.text();
        if (answer.statusCode >= 200 && answer.statusCode < 300) return text === '' ? null : JSON.parse(text);
        throw toFault(answer.statusCode, answer.headers['retry-after'], text);
      } catch (error) {
        if (error instanceof CustodianFault) throw error;
        signal.throwIfAborted();
        const { code, name } = error as NodeJS.ErrnoException;
        throw new CustodianFault(
          'away',
          `VAULT_ADDR ${origin} gave no answer that can be read (${code ?? name})`,
          {
            cause: error,
          },
        );
      }
    },
    close: () => dispatcher.destroy(),
  };
}

/** Statuses of Vault's API: 429 a quota; 412, 472, 473 a standby that is behind; 503 sealed. */
function toFault(status: number, retryAfter: unknown, text: string): CustodianFault {
  const message = `Vault answered ${status}${saidIn(text)}`;
  if (status === 429) {
    const seconds = Number(retryAfter);
    return new CustodianFault('throttled', message, seconds > 0 ? { retryAfterMs: seconds * 1_000 } : {});
  }
  if (status >= 300 && status < 400)
    return new CustodianFault(
      'away',
      `${message}: it sends to another node. Set VAULT_ADDR to one that answers itself`,
    );
  const isRefusal = [400, 401, 403, 404, 405].includes(status);
  return new CustodianFault(isRefusal ? 'refused' : 'away', message);
}

/** `errors` of the answer. They name paths and reasons. */
function saidIn(text: string): string {
  try {
    const { errors } = JSON.parse(text) as { errors?: unknown };
    const said = Array.isArray(errors) ? errors.join('; ') : '';
    return said === '' ? '' : `: ${said.replace(/\s+/g, ' ').trim().slice(0, saidCharactersMost)}`;
  } catch {
    return '';
  }
}
