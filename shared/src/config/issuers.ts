import { z } from 'zod';
import { isContentPattern } from '../contracts/index.ts';
import { type AcceptedSecrets, acceptedSecrets, type Revealable } from '../seal/accepted-secrets.ts';
import { secret, secretBytes, textUnless } from './forms.ts';
import { claimPath, keySetUrl, singleName } from './token-forms.ts';

/** How the tokens of one issuer are checked, and what they can open. */
export interface Issuer {
  /** For the operator: in the log, in `/ready` and in metrics. */
  readonly name: string;
  /** Whether it is an entry of `AUTH_ISSUERS`. Otherwise it is made of the variables for one issuer. */
  readonly isEntry: boolean;
  /** The accepted values of `iss`. Empty: any, and none. */
  readonly issuers: readonly string[];
  /** For HS256; null where that is not accepted. */
  readonly secrets: AcceptedSecrets<Uint8Array> | null;
  /** For RS256, ES256 and EdDSA; null where these are not accepted. */
  readonly jwksUrl: string | null;
  /** Empty: the audience is not checked. */
  readonly audiences: readonly string[];
  readonly audienceClaim: string;
  readonly viewerClaim: string;
  readonly contentClaim: string;
  readonly contentClaimRequired: boolean;
  /** Put before the id of the viewer. Empty: the id is taken as it is. */
  readonly viewerPrefix: string;
  /** Ids and prefixes of the contents that its tokens can open at all; null: all. */
  readonly contents: readonly string[] | null;
}

export const usualAudienceClaim = 'aud';
export const usualViewerClaim = 'sub';
export const usualContentClaim = 'content_ids';

/** Each key set is fetched every 4 minutes, so 50 are one fetch in 5 seconds, of at most 13 MB in all. */
const mostIssuers = 50;
/** Far more than a contract lists, and few enough that checking them takes ten comparisons. */
const mostContents = 1_000;
/** In an index of Postgres with the id (`maxViewerIdBytes`); a name and a separator fit. */
const longestPrefix = 64;

const visible = (form: RegExp, most: number, forms: string) =>
  textUnless(forms, (value) => (form.test(value) && value.length <= most ? undefined : `is not ${forms}`));
const entryName = visible(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 64, '1 to 64 letters, digits, `-`, `_` and `.`');
const viewerPrefix = visible(
  /^[\x21-\x7e]+$/,
  longestPrefix,
  `1 to ${longestPrefix} visible ASCII characters without white space`,
);
const contentPattern = textUnless('an id or a prefix', (value) =>
  isContentPattern(value) ? undefined : 'is neither the id of a content nor a prefix such as `acme-*`',
);

/** A text is read as the variable is: with commas. */
const audiences = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value),
  z.array(singleName).min(1, 'is empty'),
);

const entry = z
  .strictObject({
    name: entryName,
    issuer: singleName,
    jwksUrl: keySetUrl.optional(),
    secret: secretBytes.optional(),
    audience: audiences.optional(),
    audienceClaim: claimPath.optional(),
    viewerClaim: claimPath.optional(),
    contentClaim: claimPath.optional(),
    contentClaimRequired: z.boolean().optional(),
    viewerPrefix: viewerPrefix.optional(),
    contents: z
      .array(contentPattern)
      .min(1, 'is empty, so its tokens would open nothing')
      .max(mostContents, `has more than ${mostContents} items`)
      .optional(),
  })
  .superRefine(({ jwksUrl, secret: shared, audience, audienceClaim }, { addIssue }) => {
    if ((jwksUrl === undefined) === (shared === undefined))
      addIssue(
        `has ${jwksUrl === undefined ? 'neither' : 'both'} \`jwksUrl\` ${jwksUrl === undefined ? 'nor' : 'and'} \`secret\``,
      );
    if (audienceClaim !== undefined && audience === undefined)
      addIssue('has `audienceClaim` without `audience`, so no audience would be checked');
  })
  .transform(
    (own): Issuer => ({
      name: own.name,
      isEntry: true,
      issuers: [own.issuer],
      secrets: own.secret ? [own.secret] : null,
      jwksUrl: own.jwksUrl ?? null,
      audiences: own.audience ?? [],
      audienceClaim: own.audienceClaim ?? usualAudienceClaim,
      viewerClaim: own.viewerClaim ?? usualViewerClaim,
      contentClaim: own.contentClaim ?? usualContentClaim,
      contentClaimRequired: own.contentClaimRequired ?? own.contentClaim !== undefined,
      viewerPrefix: own.viewerPrefix ?? '',
      contents: own.contents ?? null,
    }),
  );

/** `AUTH_ISSUERS`. It may have secrets in it. All its faults are one message, which names the entry and the member, and shows no value. */
export const issuerEntries = secret(
  z
    .string()
    .transform((value, context): readonly Issuer[] => {
      const { issuers, faults } = readEntries(value);
      if (faults.length > 0) context.addIssue(faults.join('; '));
      return issuers;
    })
    .meta({
      forms:
        `a JSON array of 1 to ${mostIssuers} objects with \`name\`, \`issuer\` and either \`jwksUrl\` or \`secret\`, and optionally \`audience\`, ` +
        '`audienceClaim`, `viewerClaim`, `contentClaim`, `contentClaimRequired`, `viewerPrefix` and `contents` (docs/operate/configuration.md#several-issuers)',
    }),
);

function readEntries(value: string): { issuers: readonly Issuer[]; faults: readonly string[] } {
  const refuse = (fault: string) => ({ issuers: [], faults: [fault] });
  let entries: unknown;
  try {
    entries = JSON.parse(value);
  } catch {
    return refuse('is not JSON');
  }
  if (!Array.isArray(entries)) return refuse('is not an array');
  if (entries.length === 0 || entries.length > mostIssuers)
    return refuse(`has ${entries.length} entries, not 1 to ${mostIssuers}`);
  const issuers: Issuer[] = [];
  const faults: string[] = [];
  entries.forEach((each, index) => {
    const { data, error } = entry.safeParse(each, { error: explainIssue });
    if (data) issuers.push(data);
    const place = `entry ${index + 1}${nameOf(each)}`;
    for (const { path, message } of error?.issues ?? []) faults.push(describeFault(place, path, message));
  });
  faults.push(
    ...findShared('name', issuers, ({ name }) => name),
    ...findShared('issuer', issuers, (own) => own.issuers.join()),
  );
  return { issuers, faults: faults.map((fault, index) => (index === 0 ? `has a fault in ${fault}` : fault)) };
}

/** Only a name of the accepted form: anything else may be a secret in the wrong place. */
function nameOf(each: unknown): string {
  const { data } = z.object({ name: entryName }).safeParse(each);
  return data ? ` (${data.name})` : '';
}

function describeFault(place: string, [member, item]: readonly PropertyKey[], message: string): string {
  if (member === undefined) return `${place}: it ${message}`;
  return `${place}: \`${String(member)}\` ${item === undefined ? '' : 'has an item that '}${message}`;
}

/** In place of the messages of zod. */
const explainIssue: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'unrecognized_keys') return 'has a member that is not accepted';
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.input === undefined) return 'is missing';
  const kinds: Readonly<Record<string, string>> = {
    string: 'a text',
    array: 'a list',
    boolean: '`true` or `false`',
  };
  return `is not ${kinds[issue.expected] ?? 'an object'}`;
};

/** If two entries have the same value, the message names the later one first. */
function findShared(
  member: string,
  issuers: readonly Issuer[],
  textOf: (issuer: Issuer) => string,
): string[] {
  const seen = new Map<string, string>();
  return issuers.flatMap((issuer) => {
    const value = textOf(issuer);
    const other = seen.get(value);
    seen.set(value, issuer.name);
    return other === undefined ? [] : [`${issuer.name}: it has the same \`${member}\` as ${other}`];
  });
}

/** The variables of a single issuer, and `AUTH_ISSUERS` for several. */
export interface IssuerValues {
  readonly authIssuers?: Revealable<readonly Issuer[]> | undefined;
  readonly authJwtSecret?: Revealable<Uint8Array> | undefined;
  readonly authJwtSecretPrevious?: Revealable<readonly Uint8Array[]>;
  readonly authJwksUrl?: string | undefined;
  readonly authJwtAudience?: readonly string[] | undefined;
  readonly authJwtAudienceClaim?: string;
  readonly authJwtIssuer?: readonly string[] | undefined;
  readonly authJwtViewerClaim?: string;
  readonly authJwtContentClaim?: string | undefined;
  readonly authJwtContentClaimRequired?: boolean | undefined;
}

/** The table of issuers: the entries of `AUTH_ISSUERS`, or `default` for the variables of one issuer. Empty where tokens are not configured. */
export function resolveIssuers(values: IssuerValues): readonly Issuer[] {
  if (values.authIssuers) return values.authIssuers.reveal();
  const { authJwtSecret: shared, authJwksUrl } = values;
  if (!shared && !authJwksUrl) return [];
  return [
    {
      name: 'default',
      isEntry: false,
      issuers: values.authJwtIssuer ?? [],
      secrets: shared ? acceptedSecrets(shared, values.authJwtSecretPrevious) : null,
      jwksUrl: authJwksUrl ?? null,
      audiences: values.authJwtAudience ?? [],
      audienceClaim: values.authJwtAudienceClaim ?? usualAudienceClaim,
      viewerClaim: values.authJwtViewerClaim ?? usualViewerClaim,
      contentClaim: values.authJwtContentClaim ?? usualContentClaim,
      // An operator who names the claim expects each token to have it.
      contentClaimRequired: values.authJwtContentClaimRequired ?? values.authJwtContentClaim !== undefined,
      viewerPrefix: '',
      contents: null,
    },
  ];
}

const variables = {
  jwksUrl: 'AUTH_JWKS_URL',
  audienceClaim: 'AUTH_JWT_AUDIENCE_CLAIM',
  viewerClaim: 'AUTH_JWT_VIEWER_CLAIM',
  contentClaim: 'AUTH_JWT_CONTENT_CLAIM',
  contentClaimRequired: 'AUTH_JWT_CONTENT_CLAIM_REQUIRED',
} as const;

/** Where the operator sets it: the name of a variable, or a member of an entry of `AUTH_ISSUERS`. */
export function nameIssuerSetting({ name, isEntry }: Issuer, member: keyof typeof variables): string {
  return isEntry ? `AUTH_ISSUERS (${name}): ${member}` : variables[member];
}
