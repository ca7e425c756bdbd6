import type { CacheControlOptions } from '../upload/upload-presentation.ts';
import type { ServerOptions } from './server-options.ts';

/** Protection schemes of Common Encryption (ISO/IEC 23001-7) that players know: AES-CTR, and AES-CBC with a pattern. */
export const schemes = ['cenc', 'cbcs'] as const;

/** The options of `latchkey encrypt`. */
export interface EncryptCommandOptions extends ServerOptions, CacheControlOptions {
  readonly contentId: string;
  readonly out: string;
  readonly keyUrl?: string;
  readonly rotateEvery?: number;
  readonly perRenditionIds?: true;
  readonly sourceRoot?: string;
  readonly force?: true;
  readonly quiet?: true;
  /** The presentation goes to the bucket of the server. Content can then be registered there wherever keys come from. */
  readonly upload?: true;
  readonly live?: true;
  readonly period?: number;
  readonly sourceHeader?: readonly string[];
  readonly scheme?: (typeof schemes)[number];
  readonly packager?: string;
  readonly keysFrom?: 'server' | 'env';
  readonly register?: true;
  /** False for `--no-key-periods`. */
  readonly keyPeriods?: boolean;
  readonly name?: string;
  readonly playlistUrl?: string;
  readonly envFile?: string;
  readonly keyVersion?: number;
}
