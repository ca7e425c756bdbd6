import type { Refusal } from '../../api/resources.ts';
import { isContentId } from '../../state/content-id.ts';
import { idInPlaceOf, takeToken } from '../../state/find-credential.ts';
import { toParams } from '../../state/use-address-filter.ts';

/** The values that an admin typed or pasted, or that a row names, by the names of the address. */
export interface KeyQuestion {
  /** The ID of a viewer, a request, a lease or a playback session, or a token. */
  viewer: string;
  /** Its ID. Empty: the content of the latest refusal or lease. */
  content: string;
  epoch: string;
  /** Its ID. */
  lease: string;
  /** The ID of the refused request that it is about, empty for none. What its token said is then asked about. */
  request: string;
}

export const noQuestion: KeyQuestion = { viewer: '', content: '', epoch: '', lease: '', request: '' };

/** The prefix of an API key, which is left of one that is pasted. */
const keyPrefix = /^lk_[0-9a-f]{8}$/;
/** A JSON Web Token, and the 32 bytes of a session's ID in base64url. */
const credential = /^(ey[\w-]*\.[\w-]*\.[\w-]*|[\w-]{43})$/;
/** The highest number of an epoch: 32 bits. */
const maxEpoch = 4_294_967_295;

/** The faults of a question, by the names of its fields; empty if it can be asked. */
export function findFaults({ viewer, content, epoch }: KeyQuestion) {
  const faults: Partial<Record<keyof KeyQuestion, string>> = {};
  const named = takeToken(viewer).trim();
  if (named === '') faults.viewer = 'Enter a viewer ID, a token, a request ID or a lease ID';
  if (keyPrefix.test(named))
    faults.viewer = 'An API key is not a viewer. Enter a viewer ID, a token, a request ID or a lease ID';
  if (content.trim() !== '' && !isContentId(content.trim()))
    faults.content = 'Letters, digits, - and _: the ID of a content';
  const number = epoch.trim();
  if (number !== '' && !(/^\d{1,10}$/.test(number) && Number(number) <= maxEpoch))
    faults.epoch = `From 0 to ${maxEpoch}`;
  return faults;
}

/** Asks about a refusal. */
export function questionOf(refusal: Refusal): KeyQuestion {
  const { viewerId, contentId, epoch, leaseId, requestId } = refusal;
  return {
    ...{ viewer: viewerId ?? requestId, content: contentId ?? '', request: requestId },
    ...{ epoch: epoch === null ? '' : String(epoch), lease: leaseId ?? '' },
  };
}

/** The refusal that a question is about: of its row, or by a request ID that was typed. */
export function findRefusal(refusals: readonly Refusal[], asked: KeyQuestion): Refusal | undefined {
  const typed = asked.viewer.trim();
  if (asked.request === '') return refusals.find(({ requestId }) => requestId === typed);
  // Players may send one request ID with several requests.
  const names = Object.keys(noQuestion) as (keyof KeyQuestion)[];
  return refusals.find((refusal) => {
    const own = questionOf(refusal);
    return names.every((name) => own[name] === asked[name]);
  });
}

/** A question without what may be a credential, for the address. */
export function forAddress({ viewer, content, lease, ...others }: KeyQuestion): KeyQuestion {
  return {
    ...others,
    viewer: credential.test(takeToken(viewer).trim()) ? '' : idInPlaceOf(viewer),
    content: idInPlaceOf(content, 'content'),
    lease: idInPlaceOf(lease),
  };
}

export function writeQuestion(question: KeyQuestion): URLSearchParams {
  return toParams({ ...forAddress(question) });
}
