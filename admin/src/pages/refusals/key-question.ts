import { isContentId } from '../../api/contents.ts';
import type { DescribedKeyRequest } from '../../api/key-decisions.ts';
import type { Refusal } from '../../api/statistics.ts';
import { idInPlaceOf, takeToken } from '../../state/find-credential.ts';

/** What an admin typed or pasted. */
export interface KeyQuestion {
  /** A viewer ID, a token, the ID of a playback session, or a request ID. */
  who: string;
  contentId: string;
  epoch: string;
  leaseId: string;
}

/** The prefix of an API key, which is left of one that is pasted. */
const keyPrefix = /^lk_[0-9a-f]{8}$/;
/** A JSON Web Token, and the 32 bytes of a session's ID in base64url. */
const credential = /^(ey[\w-]*\.[\w-]*\.[\w-]*|[\w-]{43})$/;

/** Whether it must not get into an address. */
function isCredential(who: string): boolean {
  return credential.test(who.trim());
}

/** The faults of the fields, by their names. */
export type QuestionFaults = Partial<Record<keyof KeyQuestion, string>>;

/** The highest number of an epoch: 32 bits. */
const maxEpoch = 4_294_967_295;

/** @returns what to ask the server, or what is wrong with the fields */
export function readQuestion({ who, contentId, epoch, leaseId }: KeyQuestion): {
  described: DescribedKeyRequest | null;
  faults: QuestionFaults;
} {
  const faults: QuestionFaults = {};
  const named = takeToken(who).trim();
  if (named === '') faults.who = 'Enter a viewer ID, a token or a request ID';
  if (keyPrefix.test(named))
    faults.who = 'An API key is not a viewer. Enter a viewer ID, a token or a request ID';
  if (!isContentId(contentId.trim())) faults.contentId = 'Letters, digits, - and _: the ID of a content';
  const number = epoch.trim();
  if (number !== '' && !(/^\d{1,10}$/.test(number) && Number(number) <= maxEpoch))
    faults.epoch = `From 0 to ${maxEpoch}`;
  if (Object.keys(faults).length > 0) return { described: null, faults };
  return {
    faults,
    described: {
      contentId: contentId.trim(),
      ...(isCredential(named) ? { token: named } : { viewerId: named }),
      ...(number !== '' && { epoch: Number(number) }),
      ...(leaseId.trim() !== '' && { leaseId: leaseId.trim() }),
    },
  };
}

/** Asks about a refusal; null where it names too little: nobody knows whose request it was, or for what. */
export function questionOf({ viewerId, contentId, epoch, leaseId }: Refusal): KeyQuestion | null {
  if (viewerId === null || contentId === null) return null;
  return { who: viewerId, contentId, epoch: epoch === null ? '' : String(epoch), leaseId: leaseId ?? '' };
}

/** The fields in an address. A credential is left out. */
export function writeQuestion({ who, contentId, epoch, leaseId }: KeyQuestion): URLSearchParams {
  const values = {
    viewer: isCredential(takeToken(who)) ? '' : idInPlaceOf(who),
    content: idInPlaceOf(contentId, 'content'),
    epoch,
    lease: idInPlaceOf(leaseId),
  };
  return new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
}

export function readAddress(params: URLSearchParams): KeyQuestion {
  return {
    who: params.get('viewer') ?? '',
    contentId: params.get('content') ?? '',
    epoch: params.get('epoch') ?? '',
    leaseId: params.get('lease') ?? '',
  };
}
