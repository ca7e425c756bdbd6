import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseCoding, varyByCoding } from './choose-coding.ts';

/** In the order of preference: Brotli takes 15 % less than gzip. */
const codings = ['br', 'gzip'] as const;
type Coding = (typeof codings)[number];

/** A document that could not be made is asked for again after this time, so that readers cannot make every call fail again. */
const failureLastsMs = 1_000;
/** The highest quality takes 50 times as long as this one, for a sixth of the size. */
const brotliQuality = 5;

const compress: Record<Coding, (text: Buffer) => Promise<Buffer>> = {
  br: (text) =>
    promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  gzip: promisify(gzip),
};

/** A JSON text, and what has been made of it for readers that take it compressed. */
interface JsonText {
  text: Buffer;
  digest: string;
  compressed: Partial<Record<Coding, Promise<Buffer>>>;
}

/** @param earlier is kept, with its compressed forms, if the text is the same */
function toText(document: object, earlier: JsonText | null): JsonText {
  const text = Buffer.from(JSON.stringify(document));
  const digest = hash('sha256', text, 'base64url').slice(0, 22);
  return earlier?.digest === digest ? earlier : { text, digest, compressed: {} };
}

/**
 * A handler that answers with a JSON document that is made once, not for each reader. Its text is hashed and compressed once too, so a reader
 * costs what sending takes, and one that has the document already costs a comparison.
 */
export function createKeptDocument({
  compose,
  lastsMs,
  nowMs,
}: {
  /** Makes the document. It is called for the first reader, and again for the first one after `lastsMs`. */
  compose: () => Promise<object>;
  /** How long a document counts as the latest one. */
  lastsMs: number;
  /** A clock that never goes back. */
  nowMs: () => number;
}): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  let kept: JsonText | null = null;
  let latest: Promise<JsonText> | undefined;
  let readAgainAtMs = Number.NEGATIVE_INFINITY;

  async function read(): Promise<JsonText> {
    try {
      kept = toText(await compose(), kept);
      readAgainAtMs = nowMs() + lastsMs;
      return kept;
    } catch (error) {
      readAgainAtMs = nowMs() + (kept ? lastsMs : failureLastsMs);
      // An earlier document is true except for what changed since. A reader can do nothing with an error.
      if (kept) return kept;
      throw error;
    }
  }

  /** Readers share one reading, its failure included. */
  async function readLatest(): Promise<JsonText> {
    if (latest && nowMs() < readAgainAtMs) return latest;
    readAgainAtMs = Number.POSITIVE_INFINITY;
    latest = read();
    return latest;
  }

  return async ({ headers }, reply) => {
    const { text, digest, compressed } = await readLatest();
    const coding = chooseCoding(headers['accept-encoding'], codings);
    // A strong validator, so each coding has its own (RFC 9110 section 8.8.3.3).
    const tag = coding === null ? `"${digest}"` : `"${digest}-${coding}"`;
    varyByCoding(reply);
    reply.headers({
      etag: tag,
      // Caches may keep it, and ask each time whether it has changed.
      'cache-control': 'no-cache',
    });
    if (isTagNamed(tag, headers['if-none-match'])) return reply.code(304).send();
    reply.type('application/json; charset=utf-8');
    if (coding === null) return reply.send(text);
    reply.header('content-encoding', coding);
    compressed[coding] ??= compress[coding](text);
    return reply.send(await compressed[coding]);
  };
}

/** Whether `If-None-Match` names a tag. The comparison is weak (RFC 9110 section 13.1.2): a proxy may have added `W/`. */
export function isTagNamed(tag: string, header: string | undefined): boolean {
  return header !== undefined && (header.trim() === '*' || header.includes(tag));
}
