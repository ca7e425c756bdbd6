import type { RefusalLog } from '@latchkey/shared/audit';
import { type Authenticator, readSession, tokenPattern } from '@latchkey/shared/auth';
import {
  ContentIdSchema,
  ContentPatternSchema,
  contentsOf,
  createContentPatterns,
  maxEpoch,
  NotACredential,
  type Principal,
  parseSid,
  type TokenContents,
  UuidSchema,
} from '@latchkey/shared/contracts';
import { AppError, codes, problems } from '@latchkey/shared/errors';
import { type App, addRefusalAudit, readInstant, validationFailure } from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import { type Explanation, stepAnswers, stepNames } from '../decision-steps.ts';
import { explainCredential } from '../explain-key-request.ts';
import type { KeyRequest } from '../key-request.ts';
import { refuseOtherMethods } from './refuse-other-methods.ts';

export interface ExplainRouteOptions {
  explain: (request: KeyRequest, visible: TokenContents | null) => Promise<Explanation>;
  authenticator: Pick<Authenticator, 'identify'>;
  /** `AUTH_JWT_CLOCK_TOLERANCE_SECONDS`: a token may have been issued so much earlier than it says. */
  clockToleranceSeconds: number;
  refusals: RefusalLog;
  clock: { now(): number };
}

/** For the content that the caller names, and with what it may see. */
type Explaining = Omit<ExplainRouteOptions, 'explain'> & {
  explain: (principal: Principal) => Explanation | Promise<Explanation>;
};

const path = '/api/v1/key-decisions';

/** As long as a header may be (`docs/start/http.md`), and no longer: a longer token reaches no route. */
const longestToken = 16_384;
/** A refusal keeps ten. A longer list is better asked about with the token. */
const mostContents = 100;
const NullableTextSchema = Type.Unsafe<string | null>({ type: ['string', 'null'] });
const OutcomeSchema = Type.Enum(['served', 'refused', 'unknown']);

const schema = {
  tags: ['Content keys'],
  operationId: 'explainContentKey',
  summary: 'Why a content key is served or refused',
  description:
    'The decisions of a key request in their order, by what is known now and by the function that decides key requests. Name a viewer, or send ' +
    'the token or the id of the playback session that a player has: it is checked, neither stored nor logged, and not in the answer. Nothing is ' +
    'changed: the call counts neither as a use of the session nor as a key of the pace. With a viewer token, `contentId` may be left out: then ' +
    'only the credential is decided. If it is accepted, the outcome is `unknown`, with an empty `contentId` and the viewer of the token.',
  body: Type.Object(
    {
      contentId: Type.Optional(ContentIdSchema),
      viewerId: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 1_024,
          // No viewer has another id, and Postgres refuses a NUL.
          pattern: '^[^\\p{Cc}\\p{Cs}]*$',
          description: 'Instead of `token`.',
          ...NotACredential,
        }),
      ),
      token: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: longestToken,
          description: 'A viewer token, or the id of a playback session.',
        }),
      ),
      issuedAt: Type.Optional(
        Type.Unsafe<string | null>({
          type: ['string', 'null'],
          description:
            'With `viewerId`: when its token was issued. Now, if it is left out; null for a token without `iat`.',
        }),
      ),
      contentIds: Type.Optional(
        Type.Unsafe<string[] | null>({
          type: ['array', 'null'],
          items: ContentPatternSchema,
          maxItems: mostContents,
          description:
            'With `viewerId`: what its token opens, as ids, or as prefixes such as `acme-*`. Everything, if it is null or left out.',
        }),
      ),
      epoch: Type.Optional(Type.Integer({ minimum: 0, maximum: maxEpoch })),
      kid: Type.Optional(UuidSchema),
      leaseId: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 256,
          description: '`X-Lease-Id` of the request.',
          ...NotACredential,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: {
    200: Type.Object({
      outcome: OutcomeSchema,
      code: NullableTextSchema,
      decidedAt: Type.String({ format: 'date-time' }),
      viewerId: NullableTextSchema,
      contentId: Type.String(),
      withNewToken: Type.Unsafe<{ outcome: Explanation['outcome']; code: string | null } | null>({
        type: ['object', 'null'],
        required: ['outcome', 'code'],
        properties: { outcome: OutcomeSchema, code: NullableTextSchema },
        description:
          'The same with a token of this viewer that is issued now and opens all that its issuer can open. Null without a viewer whose token is known.',
      }),
      steps: Type.Array(
        Type.Object({
          step: Type.Enum([...stepNames]),
          answer: Type.Enum([...stepAnswers], {
            description:
              '`skipped`: the step does not hold for such a request. `not-reached`: an earlier one has refused. `unknown`: what it needs cannot be read.',
          }),
          code: NullableTextSchema,
          facts: Type.Record(Type.String(), Type.Unknown(), {
            description: 'The facts that the step used. Names that end with `At` are times.',
          }),
        }),
      ),
    }),
    ...problems(
      'VALIDATION_FAILED',
      'UNAUTHENTICATED',
      'INVALID_API_KEY',
      'INSUFFICIENT_SCOPE',
      'CONTENT_NOT_FOUND',
    ),
  },
};

/** `POST /api/v1/key-decisions`: by POST, because a token must not be in a URL. */
export function addExplainKeyRoute(app: App, options: ExplainRouteOptions): void {
  const config = {
    access: 'manage',
    contents: { in: 'body', member: 'contentId' },
    action: 'key.explain',
    limit: 'api',
  } as const;
  addRefusalAudit(app, options.refusals);
  app.post(path, { config, schema }, async ({ body, principal: caller }) => {
    const { contentId, epoch, kid, leaseId = null } = body;
    const now = options.clock.now();
    const visible = contentsOf(caller);
    const explain = (principal: Principal) =>
      contentId === undefined
        ? explainCredential(null, { kind: principal.kind, viewerId: principal.id })
        : options.explain(
            { principal, contentId, epoch, leaseId, ...(kid !== undefined && { kid }) },
            visible,
          );
    const { explanation, principal } = await explainFor({ ...options, explain }, body);
    const { outcome, code, steps } = explanation;
    const withNewToken =
      contentId === undefined ? null : await explainNewToken({ ...options, explain }, principal);
    return {
      outcome,
      code,
      decidedAt: new Date(now).toISOString(),
      viewerId: (steps[0]?.facts.viewerId as string | undefined) ?? principal?.id ?? null,
      contentId: contentId ?? '',
      withNewToken: withNewToken && { outcome: withNewToken.outcome, code: withNewToken.code },
      steps: steps.map((step) => ({ ...step, facts: writeTimes(step.facts) })),
    };
  });
  refuseOtherMethods(app, path, ['POST']);
}

interface Asked {
  contentId?: string;
  viewerId?: string;
  token?: string;
  issuedAt?: string | null;
  contentIds?: string[] | null;
}

async function explainFor(
  options: Explaining,
  asked: Asked,
): Promise<{ explanation: Explanation; principal: Principal | null }> {
  let principal: Principal;
  try {
    principal = await readPrincipal(options, asked);
  } catch (error) {
    // A credential that cannot be checked is not refused: the caller gets the 503.
    if (!(error instanceof AppError) || error.status !== 401) throw error;
    const detail = error.detail ?? `${codes[error.code].title}.`;
    return { explanation: explainCredential(error.code, { detail }), principal: null };
  }
  return { explanation: await options.explain(principal), principal };
}

/** The explanation for a new token of the same viewer; null for other credentials. */
async function explainNewToken(
  { explain, clock, clockToleranceSeconds }: Explaining,
  principal: Principal | null,
): Promise<Explanation | null> {
  if (principal?.kind !== 'viewer') return null;
  const issuedNotBefore = clock.now() - clockToleranceSeconds * 1_000;
  const contents = principal.issuerContents ?? null;
  return explain({ ...principal, issuedNotBefore, contents });
}

/** @throws AppError VALIDATION_FAILED; INVALID_TOKEN or INVALID_SESSION, which are the answer; DEPENDENCY_UNAVAILABLE */
async function readPrincipal(
  { authenticator, clock, clockToleranceSeconds }: Omit<ExplainRouteOptions, 'explain'>,
  { viewerId, token, contentId, issuedAt, contentIds = null }: Asked,
): Promise<Principal> {
  if ((viewerId === undefined) === (token === undefined))
    throw validationFailure('', 'must name either viewerId or token');
  // A session is decided with its lease.
  if (contentId === undefined && (token === undefined || parseSid(token)))
    throw validationFailure('/contentId', 'is missing: only a viewer token is explained without it');
  if (token !== undefined) {
    if (issuedAt !== undefined)
      throw validationFailure('/issuedAt', 'is not taken with a token, which says it');
    if (contentIds !== null)
      throw validationFailure('/contentIds', 'is not taken with a token, which says it');
    if (parseSid(token)) return readSession(token);
    // An API key is no viewer's, and a secret that should not be pasted anywhere.
    if (!tokenPattern.test(token))
      throw validationFailure('/token', 'must be a viewer token, or the id of a playback session');
    return authenticator.identify(token, 'keys');
  }
  const issued =
    issuedAt === null ? null : issuedAt === undefined ? clock.now() : readInstant(issuedAt, '/issuedAt');
  return {
    kind: 'viewer',
    id: viewerId ?? '',
    issuedNotBefore: issued === null ? null : issued - clockToleranceSeconds * 1_000,
    contents: contentIds && createContentPatterns(contentIds),
    mayUpload: false,
  };
}

/** Times are RFC 3339 in answers. */
function writeTimes(facts: Explanation['steps'][number]['facts']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      name.endsWith('At') && typeof value === 'number' ? toInstant(value) : value,
    ]),
  );
}

/** Null for a time that RFC 3339 cannot write: an epoch of 32 bits can open after the year 9999. */
function toInstant(ms: number): string | null {
  return ms <= 253_402_300_799_999 ? new Date(ms).toISOString() : null;
}
