import type { Clock } from '@latchkey/shared/clock';
import type { Finding } from './finding.ts';

const answerLimitMs = 2_000;

/** Whether the port is free, or taken by a server that already runs. */
export async function examinePort(port: number, clock: Clock): Promise<Finding> {
  const about = `PORT (${port})`;
  if (port === 0) return { state: 'ok', about, says: 'is whichever is free' };
  const beganAtMs = clock.monotonic();
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`, {
      signal: AbortSignal.timeout(answerLimitMs),
    });
    const { status, version } = (await response.json()) as { status?: unknown; version?: unknown };
    if (status === 'ok' && typeof version === 'string') {
      const tookMs = Math.round(clock.monotonic() - beganAtMs);
      return { state: 'ok', about, says: `Latchkey ${version} answers there, in ${tookMs} ms` };
    }
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    if (cause?.code === 'ECONNREFUSED') return { state: 'ok', about, says: 'is free' };
  }
  return {
    state: 'wrong',
    about,
    says: 'is taken by something else',
    mend: 'stop that, or set PORT to another',
  };
}
