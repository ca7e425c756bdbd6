import type { Refusal } from '../../api/resources.ts';
import { isContentId } from '../../state/content-id.ts';
import { idInPlaceOf, takeToken } from '../../state/find-credential.ts';
import { toParams } from '../../state/use-address-filter.ts';

/** The values that an admin typed or pasted, or that a row names. */
export interface KeyQuestion {
  /** The ID of a viewer, a request, a lease or a playback session, or a token. */
  who: string;
  /** Empty: the content of the latest refusal or lease. */
  contentId: string;
  epoch: string;
  leaseId: string;
  /** The refused request that it is about, empty for none. What its token said is then asked about. */
  requestId: string;
}

export const noQuestion: KeyQuestion = { who: '', contentId: '', epoch: '', leaseId: '', requestId: '' };

/** The prefix of an API key, which is left of one that is pasted. */
const keyPrefix = /^lk_[0-9a-f]{8}$/;
/** A JSON Web Token, and the 32 bytes of a session's ID in base64url. */
const credential = /^(ey[\w-]*\.[\w-]*\.[\w-]*|[\w-]{43})$/;
/** The highest number of an epoch: 32 bits. */
const maxEpoch = 4_294_967_295;

/** The faults of the fields, by their names. */
type QuestionFaults = Partial<Record<keyof KeyQuestion, string>>;

/** The faults of a question; empty if it can be asked. */
export function findFaults({ who, contentId, epoch }: KeyQuestion): QuestionFaults {
  const faults: QuestionFaults = {};
  const named = takeToken(who).trim();
  if (named === '') faults.who = 'Enter a viewer ID, a token, a request ID or a lease ID';
  if (keyPrefix.test(named))
    faults.who = 'An API key is not a viewer. Enter a viewer ID, a token, a request ID or a lease ID';
  if (contentId.trim() !== '' && !isContentId(contentId.trim()))
    faults.contentId = 'Letters, digits, - and _: the ID of a content';
  const number = epoch.trim();
  if (number !== '' && !(/^\d{1,10}$/.test(number) && Number(number) <= maxEpoch))
    faults.epoch = `From 0 to ${maxEpoch}`;
  return faults;
}

/** Asks about a refusal. */
export function questionOf(refusal: Refusal): KeyQuestion {
  const { viewerId, contentId, epoch, leaseId, requestId } = refusal;
  return {
    ...{ who: viewerId ?? requestId, contentId: contentId ?? '', requestId },
    ...{ epoch: epoch === null ? '' : String(epoch), leaseId: leaseId ?? '' },
  };
}

/** The refusal that a question is about: of its row, or by a request ID that was typed. */
export function findRefusal(refusals: readonly Refusal[], asked: KeyQuestion): Refusal | undefined {
  const typed = asked.who.trim();
  if (asked.requestId === '') return refusals.find(({ requestId }) => requestId === typed);
  // Players may send one request ID with several requests.
  const names = Object.keys(noQuestion) as (keyof KeyQuestion)[];
  return refusals.find((refusal) => {
    const own = questionOf(refusal);
    return names.every((name) => own[name] === asked[name]);
  });
}

/** A question by the names of the address. A credential is left out. */
export function toAddress({ who, contentId, epoch, leaseId, requestId }: KeyQuestion) {
  return {
    viewer: credential.test(takeToken(who).trim()) ? '' : idInPlaceOf(who),
    content: idInPlaceOf(contentId, 'content'),
    epoch,
    lease: idInPlaceOf(leaseId),
    request: requestId,
  };
}

export function writeQuestion(question: KeyQuestion): URLSearchParams {
  return toParams(toAddress(question));
}
