import { type BusMessage, parseBusMessage } from './message.ts';

/** A message on its way between processes. */
export interface Envelope {
  /** The process that sent it, which has heard it already. */
  origin: string;
  message: BusMessage;
}

export function formatEnvelope(envelope: Envelope): string {
  return JSON.stringify(envelope);
}

/** @returns null for anything that is not an envelope of ours */
export function parseEnvelope(octets: Uint8Array): Envelope | null {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(octets));
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { origin, message } = value as Record<string, unknown>;
  const parsed = parseBusMessage(message);
  return typeof origin === 'string' && parsed ? { origin, message: parsed } : null;
}
