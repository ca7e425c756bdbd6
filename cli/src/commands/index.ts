import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { registerApiKeys } from './api-keys.ts';
import { registerDoctor } from './doctor.ts';
import { registerEncrypt } from './encrypt.ts';
import { registerKeygen } from './keygen.ts';
import { registerMigrate } from './migrate.ts';

/** Adds one command to the program. */
export type RegisterCommand = (program: Command, context: CommandContext) => void;

/** In the order of `--help`. */
export const registerCommands: readonly RegisterCommand[] = [
  registerKeygen,
  registerEncrypt,
  registerApiKeys,
  registerMigrate,
  registerDoctor,
];
