import type { Clock } from '@latchkey/shared/clock';
import { isForSeparateServices, type SingleNodeValues } from '@latchkey/shared/config';
import type { Command } from 'commander';
import { checkBaseUrl } from '../check-options.ts';
import type { CommandContext } from '../command-context.ts';
import { examineConfiguration, examineNames, examineSecretsFile } from '../doctor/examine-configuration.ts';
import { examineDatabase } from '../doctor/examine-database.ts';
import { examineDisk } from '../doctor/examine-disk.ts';
import { examineKeySets, examineToken } from '../doctor/examine-issuers.ts';
import { countFindings, describeFindings, type Finding, ok, warning, wrong } from '../doctor/finding.ts';
import { examineInstallation } from '../doctor/live/examine-installation.ts';
import { readEnvFile, type Variables } from '../keys/variables.ts';
import { failure, refusal } from '../refusal.ts';
import { hideUrls } from '../show-url.ts';
import { readApiKey } from './server-options.ts';

interface DoctorOptions {
  readonly envFile?: string;
  readonly token?: string;
  readonly live?: string;
  readonly apiKeyFile?: string;
  readonly json?: true;
}

/** `latchkey doctor`: what is wrong with a configuration, or with a running installation, and how to repair it. */
export function registerDoctor(program: Command, context: CommandContext): void {
  const { env, stdout, clock } = context;
  program
    .command('doctor')
    .description('examine the configuration, the database, the master key and what they point to')
    .option('--env-file <file>', 'read variables from this file first, as a server started with it would')
    .option('--token <file>', 'examine the token of a viewer in this file instead: what it opens, or why not')
    .option(
      '--live <url>',
      'ask a running installation instead: what an on-call engineer wants to know first',
    )
    .option('--api-key-file <file>', 'with --live: the API key is in this file')
    .option('--json', 'with --live: write JSON')
    .addHelpText('after', help)
    .action(async ({ live, token, ...options }: DoctorOptions) => {
      if (live !== undefined && (options.envFile !== undefined || token !== undefined))
        throw refusal('--live examines no variables; leave --env-file out, and --token');
      if (live !== undefined) return runDoctorLive(live, options, context);
      if (options.json || options.apiKeyFile !== undefined)
        throw refusal('--json and --api-key-file need --live <url>');
      const given = { ...(options.envFile === undefined ? {} : await readEnvFile(options.envFile)), ...env };
      const findings = await (token === undefined
        ? examine(given, clock)
        : examineTokenBy(given, token, clock));
      stdout.write(describeFindings(findings));
      if (countFindings(findings, 'wrong') === 0) return;
      throw failure(
        token === undefined
          ? 'the server would not start, or not serve, like this'
          : 'the server would not accept this token, or serve no key for it',
      );
    });
}

/** The variables of tokens decide about it, whatever else is missing. */
async function examineTokenBy(given: Variables, file: string, clock: Clock): Promise<Finding[]> {
  const { kept } = examineSecretsFile(given);
  const { values, willBeMade, found } = examineConfiguration({ ...given, ...kept });
  const faults = found.filter(({ state, about }) => state === 'wrong' && about.startsWith('AUTH_'));
  if (faults.length > 0) return faults;
  if (!values) return found;
  if (willBeMade.includes('AUTH_JWT_SECRET'))
    throw refusal('no issuer of tokens is configured: set AUTH_JWT_SECRET, AUTH_JWKS_URL or AUTH_ISSUERS');
  return examineToken(file, values, clock);
}

const help = `
It changes nothing and shows no secret. Exit code 1 where something is wrong.

With --token it verifies a token as the server does, step by step: the issuer, the signature, the times, the audience,
the id of the viewer, and the contents. Leases and revocations are not looked at. The token itself is not shown.

With --live it asks /health, /ready and, with an API key of scope admin or full in LATCHKEY_API_KEY or
LATCHKEY_API_KEY_FILE, the statistics: readiness by dependency, the version, feed age and clock of each process,
revocation delay, key requests of the last minute, configuration warnings. Exit code 0 healthy, 1 degraded,
2 unreachable or refused. Clocks are compared by half of the round trip, and ± bounds the error.`;

/** Examines everything that can keep a server from starting or from serving. Changes nothing. */
async function examine(given: Variables, clock: Clock): Promise<Finding[]> {
  const { kept, path: secretsFile, found: foundInFile } = examineSecretsFile(given);
  const all = { ...given, ...kept };
  const findings: Finding[] = [...examineNames(all), ...foundInFile];
  const { values, willBeMade, found } = examineConfiguration(all);
  findings.push(...found);
  if (!values) return findings;
  findings.push(...examineExposure(values));
  const database = await examineDatabase(values, isForSeparateServices(all));
  // A server that fails at its database makes no secrets. It makes no master key if the database knows one.
  if (!database.some(({ state }) => state === 'wrong')) {
    const says =
      values.sqlitePath === ':memory:' && !values.databaseUrl
        ? 'is not set; will be made at every start, and kept nowhere'
        : `is not set; will be made at the first start, and kept in ${secretsFile}`;
    findings.push(...willBeMade.map((about) => ok(about, says)));
  }
  findings.push(...database);
  if (!values.databaseUrl) findings.push(...(await examineDisk(values.sqlitePath)));
  findings.push(...(await examineKeySets(values)));
  findings.push(await examinePort(values.port, clock));
  return findings;
}

/** Allowed settings that an operator should know of. */
function examineExposure(values: SingleNodeValues): Finding[] {
  const found: Finding[] = [];
  if (values.corsOrigins.length === 0) {
    const mend =
      'set it to the origin of your player page, such as https://video.example.com, unless players are apps';
    found.push(
      warning('CORS_ORIGINS', 'is not set, so no page from another origin can fetch keys', { mend }),
    );
  }
  if (values.viewerTokenFrom.includes('query')) {
    const says = 'allows tokens in the query, which proxies and browsers write down';
    const mend =
      'keep such tokens short-lived, and leave `query` out unless players need it that send no header and get no session';
    found.push(warning('VIEWER_TOKEN_FROM', says, { mend }));
  }
  if (values.leaseMode === 'optional') {
    const says =
      'is optional: a viewer without a lease gets keys until a mark says otherwise; `required` counts every viewer';
    found.push(ok('LEASE_MODE', says));
  }
  return found;
}

const answerLimitMs = 2_000;

/** Whether the port is free, or taken by a server that already runs. */
async function examinePort(port: number, clock: Clock): Promise<Finding> {
  const about = `PORT (${port})`;
  if (port === 0) return ok(about, 'is whichever is free');
  const beganAtMs = clock.monotonic();
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`, {
      signal: AbortSignal.timeout(answerLimitMs),
    });
    const { status, version } = (await response.json()) as { status?: unknown; version?: unknown };
    if (status === 'ok' && typeof version === 'string') {
      const tookMs = Math.round(clock.monotonic() - beganAtMs);
      return ok(about, `Latchkey ${version} answers there, in ${tookMs} ms`);
    }
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    if (cause?.code === 'ECONNREFUSED') return ok(about, 'is free');
  }
  return wrong(about, 'is taken by something else', { mend: 'stop that, or set PORT to another' });
}

/**
 * `latchkey doctor --live`: what a running installation says of itself.
 *
 * @throws AppError: `VALIDATION_FAILED` (exit code 2) if it cannot be reached or refuses the API key, else one with exit code 1 if
 * something is wrong
 */
async function runDoctorLive(live: string, options: DoctorOptions, context: CommandContext): Promise<void> {
  const { stdout, clock, signal } = context;
  const url = checkBaseUrl(live, '--live');
  const apiKey = readApiKey(options, context.env);
  const { refused, findings, ...facts } = await examineInstallation({ url, clock, signal }, apiKey);
  const faults = countFindings(findings, 'wrong');
  if (options.json) {
    const shown = { url, status: faults > 0 ? 'degraded' : 'healthy', refused, ...facts, findings };
    const hide = (_: string, value: unknown) => (typeof value === 'string' ? hideUrls(value) : value);
    stdout.write(`${JSON.stringify(shown, hide, 2)}\n`);
  } else stdout.write(`${url}\n\n${describeFindings(findings)}`);
  if (refused !== null)
    throw refusal(`${url} refused the API key (${refused}); only what is public was examined`);
  if (faults > 0) throw failure(`the installation is degraded: ${faults} wrong`);
}
