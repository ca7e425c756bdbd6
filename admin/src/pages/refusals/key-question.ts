import type { BodyOf } from '../../api/api.ts';
import type { Refusal } from '../../api/resources.ts';
import { isContentId } from '../../state/content-id.ts';
import { idInPlaceOf, takeToken } from '../../state/find-credential.ts';

/** A key request as an admin describes it. */
export type DescribedKeyRequest = BodyOf<'post', '/api/v1/key-decisions'>;

/** What an admin typed or pasted. */
export interface KeyQuestion {
  /** A viewer ID, a token, the ID of a playback session, or a request ID. */
  who: string;
  contentId: string;
  epoch: string;
  leaseId: string;
  /** The refused request that it is about, empty for none. What its token said is then asked about. */
  requestId: string;
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

const unknownRequest =
  'No refusal in memory has this request ID. If it is a viewer ID, enter a content ID too';
const unreadRequests =
  'The refusals are not read, so no request ID is found. If it is a viewer ID, enter a content ID too';

/** The fields that a person fills in. */
const fields = ['who', 'contentId', 'epoch', 'leaseId'] as const;

/** The highest number of an epoch: 32 bits. */
const maxEpoch = 4_294_967_295;

/**
 * @param areRefusalsRead whether a request ID that is unknown cannot be that of a refusal
 * @returns what to ask the server, or what is wrong with the fields
 */
export function readQuestion(
  { who, contentId, epoch, leaseId }: KeyQuestion,
  areRefusalsRead = true,
): {
  described: DescribedKeyRequest | null;
  faults: QuestionFaults;
} {
  const faults: QuestionFaults = {};
  const named = takeToken(who).trim();
  if (named === '') faults.who = 'Enter a viewer ID, a token or a request ID';
  if (keyPrefix.test(named))
    faults.who = 'An API key is not a viewer. Enter a viewer ID, a token or a request ID';
  if (contentId.trim() === '' && !faults.who && !isCredential(named))
    faults.who = areRefusalsRead ? unknownRequest : unreadRequests;
  else if (!isContentId(contentId.trim())) faults.contentId = 'Letters, digits, - and _: the ID of a content';
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
export function questionOf({ viewerId, contentId, epoch, leaseId, requestId }: Refusal): KeyQuestion | null {
  if (viewerId === null || contentId === null) return null;
  return {
    ...{ who: viewerId, contentId, requestId },
    ...{ epoch: epoch === null ? '' : String(epoch), leaseId: leaseId ?? '' },
  };
}

/** The refusal that a question is about: by its own request ID, or by one in place of a viewer. */
export function findRefusal(refusals: readonly Refusal[], asked: KeyQuestion): Refusal | undefined {
  const typed = asked.who.trim();
  return refusals.find((refusal) => {
    if (refusal.requestId === typed) return true;
    // Players may send one request ID with several requests.
    const own = refusal.requestId === asked.requestId ? questionOf(refusal) : null;
    return own !== null && fields.every((name) => own[name] === asked[name]);
  });
}

/** Why `questionOf` has no question about a refusal. */
export function explainNothing({ code, viewerId }: Refusal): string {
  const missing =
    viewerId === null ? 'It names no viewer' : 'It was a request for a lease, which names no content';
  return `This request was refused with ${code}. ${missing}, so no decision can be repeated`;
}

/** What the token of a refused request said, where the server kept it. */
export function claimsOf(refusal: Refusal | undefined): Pick<DescribedKeyRequest, 'issuedAt' | 'contentIds'> {
  if (refusal?.issuedAt === undefined) return {};
  return { issuedAt: refusal.issuedAt, contentIds: refusal.contentIds ?? null };
}

/** The fields in an address. A credential is left out. */
export function writeQuestion({ who, contentId, epoch, leaseId, requestId }: KeyQuestion): URLSearchParams {
  const values = {
    viewer: isCredential(takeToken(who)) ? '' : idInPlaceOf(who),
    content: idInPlaceOf(contentId, 'content'),
    epoch,
    lease: idInPlaceOf(leaseId),
    request: requestId,
  };
  return new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
}

export function readAddress(params: URLSearchParams): KeyQuestion {
  return {
    who: params.get('viewer') ?? '',
    contentId: params.get('content') ?? '',
    epoch: params.get('epoch') ?? '',
    leaseId: params.get('lease') ?? '',
    requestId: params.get('request') ?? '',
  };
}
