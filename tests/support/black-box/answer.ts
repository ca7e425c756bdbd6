import type { Dispatcher } from 'undici';

/** A problem (RFC 9457): `docs/reference/contract.md#errors`. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  requestId: string;
  errors?: { path: string; message: string }[];
  scope?: string;
  leases?: { id: string }[];
}

/** One answer, read to its end. */
export interface Answer {
  method: string;
  /** Without the query. */
  path: string;
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
  /** Media type without parameters; empty if the answer has no media type. */
  type: string;
  requestId: string;
  // biome-ignore lint/suspicious/noExplicitAny: every answer is checked against the schema in the OpenAPI document.
  json: any;
  /** The code of the problem; undefined for a success. */
  code: string | undefined;
}

/** Reads an answer; of an event stream, which does not end, only the head. */
export async function readAnswer(
  method: string,
  path: string,
  { statusCode, headers: raw, body }: Dispatcher.ResponseData,
): Promise<Answer> {
  const headers = Object.fromEntries(
    Object.entries(raw).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : `${value}`]),
  );
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
  let bytes = Buffer.alloc(0);
  if (type === 'text/event-stream') body.on('error', () => {}).destroy();
  else bytes = Buffer.from(await body.arrayBuffer());
  const json = /[/+]json$/.test(type) && bytes.length > 0 ? JSON.parse(bytes.toString('utf8')) : undefined;
  const code = statusCode >= 400 ? json?.code : undefined;
  const requestId = headers['x-request-id'] ?? '';
  return { method, path, status: statusCode, headers, bytes, type, requestId, json, code };
}

/** Status and code, such as `200` or `403 LEASE_REVOKED`. */
export const outcomeOf = ({ status, code }: Pick<Answer, 'status' | 'code'>): string =>
  code ? `${status} ${code}` : `${status}`;
