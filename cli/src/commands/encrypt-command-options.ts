import type { schemes } from '../common-encryption/encrypt-streams.ts';
import type { UploadCommandOptions } from './encrypt-and-upload.ts';

/** The options of `latchkey encrypt`. */
export interface EncryptCommandOptions extends UploadCommandOptions {
  readonly contentId: string;
  readonly out: string;
  readonly keyUrl?: string;
  readonly rotateEvery?: number;
  readonly perRenditionIds?: true;
  readonly sourceRoot?: string;
  readonly plainNames?: true;
  readonly scheme?: (typeof schemes)[number];
  readonly packager?: string;
  readonly live?: true;
  readonly period?: number;
  readonly sourceHeader?: readonly string[];
}
