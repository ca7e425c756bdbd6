import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A store's refusals: S3's own code and status (API reference, "List of error codes"). */
export interface S3Refusal {
  status: 400 | 403;
  code: string;
}

export interface S3Credentials {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

interface Signed {
  /** `<access key id>/<yyyymmdd>/<region>/s3/aws4_request` */
  credential: string;
  /** `yyyymmddThhmmssZ` */
  date: string;
  signedHeaders: string[];
  signature: string;
  payloadHash: string;
  /** Seconds that a presigned URL is valid; null for a signature in the header, which is valid for 15 minutes. */
  lifetimeSeconds: number | null;
}

/** Maximum difference between the clocks for a signature in the header. */
const headerLifetimeSeconds = 900;

/**
 * Judges a request as S3 does (AWS Signature Version 4, in the query or in the header): the signature must be right for
 * this method, path, query and these headers, and not expired. It is written from the public description, without the
 * SDK, so that a URL is checked by different code than made it. The payload's hash is not verified.
 *
 * @param now milliseconds since 1970
 * @returns null if the request may pass
 */
export function judgeSignature(
  request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  { region, accessKeyId, secretAccessKey }: S3Credentials,
  now: number,
): S3Refusal | null {
  const url = new URL(request.url ?? '/', 'http://store');
  const signed = readQuery(url.searchParams) ?? readHeader(request.headers);
  if (!signed) return { status: 403, code: 'AccessDenied' };
  const [keyId = '', day = '', ...rest] = signed.credential.split('/');
  if (keyId !== accessKeyId) return { status: 403, code: 'InvalidAccessKeyId' };
  if (rest.join('/') !== `${region}/s3/aws4_request` || !signed.date.startsWith(day)) {
    return { status: 400, code: 'AuthorizationQueryParametersError' };
  }
  if (!isLive(signed, now)) return { status: 403, code: 'AccessDenied' };
  // The signature must cover every header that S3 interprets.
  const bare = Object.keys(request.headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
  if (bare.some((name) => !signed.signedHeaders.includes(name))) return { status: 403, code: 'AccessDenied' };

  const canonical = [
    request.method,
    // The path as it was sent: `URL` would resolve its dots.
    encodePath((request.url ?? '/').split('?')[0] ?? ''),
    encodeQuery(url.searchParams),
    ...signed.signedHeaders.map((name) => `${name}:${headerOf(request.headers, name)}`),
    '',
    signed.signedHeaders.join(';'),
    signed.payloadHash,
  ].join('\n');
  const scope = `${day}/${rest.join('/')}`;
  const text = ['AWS4-HMAC-SHA256', signed.date, scope, sha256(canonical)].join('\n');
  const key = [day, ...rest].reduce<Buffer>(
    (secret, part) => hmac(secret, part),
    Buffer.from(`AWS4${secretAccessKey}`),
  );
  const expected = hmac(key, text);
  const given = Buffer.from(signed.signature, 'hex');
  const same = given.length === expected.length && timingSafeEqual(given, expected);
  return same ? null : { status: 403, code: 'SignatureDoesNotMatch' };
}

function readQuery(query: URLSearchParams): Signed | null {
  const get = (name: string) => query.get(`X-Amz-${name}`) ?? '';
  if (get('Algorithm') !== 'AWS4-HMAC-SHA256') return null;
  return {
    credential: get('Credential'),
    date: get('Date'),
    signedHeaders: get('SignedHeaders').split(';'),
    signature: get('Signature'),
    payloadHash: 'UNSIGNED-PAYLOAD',
    lifetimeSeconds: Number(get('Expires')),
  };
}

function readHeader(headers: IncomingMessage['headers']): Signed | null {
  const [algorithm, parts = ''] = (headers.authorization ?? '').split(/ (.*)/s);
  if (algorithm !== 'AWS4-HMAC-SHA256') return null;
  const get = (name: string) => new RegExp(`${name}=([^,\\s]+)`).exec(parts)?.[1] ?? '';
  return {
    credential: get('Credential'),
    date: headerOf(headers, 'x-amz-date'),
    signedHeaders: get('SignedHeaders').split(';'),
    signature: get('Signature'),
    payloadHash: headerOf(headers, 'x-amz-content-sha256'),
    lifetimeSeconds: null,
  };
}

function isLive({ date, lifetimeSeconds }: Signed, now: number): boolean {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const [year, month, day, hour, minute, second] = parts.map(Number);
  if (second === undefined) return false;
  const signedAt = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
  const ageSeconds = (now - signedAt) / 1_000;
  if (lifetimeSeconds === null) return Math.abs(ageSeconds) <= headerLifetimeSeconds;
  return ageSeconds >= -headerLifetimeSeconds && ageSeconds <= lifetimeSeconds;
}

function headerOf(headers: IncomingMessage['headers'], name: string): string {
  return `${headers[name] ?? ''}`.trim().replace(/ +/g, ' ');
}

function encodePath(path: string): string {
  return path
    .split('/')
    .map((segment) => encode(decodeURIComponent(segment)))
    .join('/');
}

function encodeQuery(query: URLSearchParams): string {
  return [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
}

/** Everything but the unreserved characters of RFC 3986, section 2.3. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
