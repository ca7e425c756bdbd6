import { ContentIdSchema as PlainContentIdSchema } from '@latchkey/shared/contracts';
import { appliedMembers, instantOf, NameSchema } from '@latchkey/shared/http';
import { type Static, Type } from '@latchkey/shared/schema';
import { type Content, type Metadata, maxManifestKeyLength, maxPlaylistUrlLength } from './content.ts';
import { KeyPeriodsSchema, ShownKeyPeriodsSchema, toKeyPeriodsMembers } from './key-periods.ts';

export const StatusSchema = Type.Enum(['active', 'disabled'], {
  description: 'The keys of a disabled content are not served.',
});
const InstantSchema = Type.String({ format: 'date-time' });
const SizeSchema = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Bytes of the encrypted files.',
});
const ManifestKeySchema = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  minLength: 1,
  maxLength: maxManifestKeyLength,
  description: 'Where the manifest lies in the bucket.',
});
const PlaylistUrlSchema = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  minLength: 1,
  maxLength: maxPlaylistUrlLength,
  description:
    'Absolute URL of its playlist, of an origin that PLAYLIST_ORIGINS lists. Playback sessions need it. Null clears it.',
});
const MetadataSchema = Type.Unsafe<Metadata>({
  type: 'object',
  additionalProperties: true,
  description: 'Your own data: at most 16 KiB of JSON text, 32 levels deep.',
});

/** The members that registering and changing accept. */
export const fieldSchemas = {
  keyPeriods: Type.Optional(KeyPeriodsSchema),
  sizeBytes: Type.Optional(SizeSchema),
  manifestKey: Type.Optional(ManifestKeySchema),
  playlistUrl: Type.Optional(PlaylistUrlSchema),
  metadata: Type.Optional(MetadataSchema),
};

export const ContentIdSchema = { ...PlainContentIdSchema, description: 'Part of the URL of its keys.' };

/** Not checked by the schema: an id of another form gets 404. */
export const ContentParametersSchema = Type.Object({ id: Type.String() });
/** For routes with these parameters. */
export const ofContent = { in: 'params', member: 'id' } as const;

export const ContentSchema = Type.Object(
  {
    id: ContentIdSchema,
    name: NameSchema,
    status: StatusSchema,
    keyVersion: Type.Integer({
      minimum: 1,
      description: 'The version of the master key that its keys are derived with. It never changes.',
    }),
    keyPeriods: ShownKeyPeriodsSchema,
    sizeBytes: SizeSchema,
    manifestKey: ManifestKeySchema,
    playlistUrl: PlaylistUrlSchema,
    metadata: MetadataSchema,
    createdAt: InstantSchema,
    updatedAt: InstantSchema,
  },
  { title: 'Content' },
);

/** Of an act that may wait until it is applied. */
export const AppliedContentAnswerSchema = Type.Object({ content: ContentSchema, ...appliedMembers });

/** And where its keys are. */
export const KeyedContentAnswerSchema = Type.Object({
  content: ContentSchema,
  key_endpoint: Type.String({ description: 'The URL of its key; absolute if PUBLIC_URL is set.' }),
});

/** The content as the API shows it. */
export function toContentAnswer(content: Content): Static<typeof ContentSchema> {
  return {
    ...content,
    keyPeriods: toKeyPeriodsMembers(content.keyPeriods),
    createdAt: instantOf(content.createdAt),
    updatedAt: instantOf(content.updatedAt),
  };
}
