import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { repositoryFolder } from '../repository.ts';

/** The parts of a service that the tests read. Anchors are merged, and variables are as written. */
export interface ComposeService {
  image: string;
  user?: string;
  build?: { context: string; args: { PACKAGE: string } };
  profiles?: string[];
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  networks: string[];
  /** Names, or conditions by name. */
  depends_on?: string[] | Record<string, { condition: string }>;
  volumes?: string[];
  healthcheck: { test?: string[]; disable?: boolean };
  read_only?: boolean;
  privileged?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  restart?: string;
  mem_limit?: string;
  logging?: { driver: string; options: Record<string, string> };
  scale?: string;
}

export interface ComposeFile {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean } | null>;
  volumes: Record<string, unknown>;
}

export function readComposeFile(): { text: string; file: ComposeFile } {
  const text = readFileSync(join(repositoryFolder, 'compose.yaml'), 'utf8');
  return { text, file: parse(text, { merge: true }) };
}
