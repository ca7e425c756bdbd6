import { bearerCredential } from '@latchkey/shared/config';
import { AppError } from '@latchkey/shared/errors';
import type { CommandContext } from '../command-context.ts';
import { examineInstallation, type Installation } from '../doctor/live/examine-installation.ts';
import type { LiveFinding } from '../doctor/live/live-finding.ts';
import { runbooks } from '../doctor/live/runbooks.ts';
import { refusal } from '../refusal.ts';
import { hideUrls } from '../show-url.ts';
import { checkServer, readApiKey } from './choose-key-source.ts';

const marks: Record<LiveFinding['state'], string> = {
  ok: 'ok     ',
  notice: 'notice ',
  warning: 'warning',
  wrong: 'WRONG  ',
};

export interface LiveOptions {
  readonly live: string;
  readonly apiKeyFile?: string;
  readonly json?: true;
}

/**
 * `latchkey doctor --live`: what a running installation says of itself.
 *
 * @throws AppError: `VALIDATION_FAILED` (exit code 2) if it cannot be reached or refuses the API key, else one with exit code 1 if
 * something is wrong
 */
export async function runDoctorLive(options: LiveOptions, context: CommandContext): Promise<void> {
  const { stdout, clock, signal } = context;
  const url = checkServer(options.live, '--live');
  const apiKey = readApiKey(options, context.env);
  const { error } = bearerCredential.optional().safeParse(apiKey);
  if (error) {
    throw refusal(
      `LATCHKEY_API_KEY ${error.issues[0]?.message}; accepted: an API key of scope admin or full, or the ADMIN_API_KEY`,
    );
  }
  const installation = await examineInstallation({ url, clock, signal }, apiKey);
  const wrong = installation.findings.filter(({ state }) => state === 'wrong').length;
  stdout.write(options.json ? toJson(url, installation, wrong) : toText(url, installation, wrong));
  if (installation.refused !== null) {
    throw refusal(`${url} refused the API key (${installation.refused}); only what is public was examined`);
  }
  if (wrong > 0) throw new AppError('INTERNAL', { detail: `the installation is degraded: ${wrong} wrong` });
}

function toText(url: string, { findings }: Installation, wrong: number): string {
  const lines = findings.map(({ state, about, says, mend, topic }) => {
    const runbook = topic && runbooks[topic];
    const [what, where] = [mend && `         → ${mend}\n`, runbook && `         → ${runbook}\n`];
    const isFine = state === 'ok';
    return hideUrls(`${marks[state]}  ${about}: ${says}\n${isFine ? '' : `${what ?? ''}${where ?? ''}`}`);
  });
  const warnings = findings.filter(({ state }) => state === 'warning').length;
  return `${url}\n\n${lines.join('')}\n${wrong} wrong, ${warnings} to look at\n`;
}

function toJson(url: string, { findings, refused, ...rest }: Installation, wrong: number): string {
  const told = findings.map(({ topic, ...finding }) => ({
    ...finding,
    ...(topic && finding.state !== 'ok' && runbooks[topic] && { runbook: runbooks[topic] }),
  }));
  const status = wrong > 0 ? 'degraded' : 'healthy';
  const hide = (_: string, value: unknown) => (typeof value === 'string' ? hideUrls(value) : value);
  return `${JSON.stringify({ url, status, refused, ...rest, findings: told }, hide, 2)}\n`;
}
