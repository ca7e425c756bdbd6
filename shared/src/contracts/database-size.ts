import { type Static, Type } from '../schema/type.ts';

/** In a file of its own, without the database's libraries: a gateway passes it on, and its image has none of them. */
export const DatabaseSizeSchema = Type.Object({
  kind: Type.Union([Type.Literal('Postgres'), Type.Literal('SQLite')]),
  bytes: Type.Integer({ minimum: 0 }),
});
export type DatabaseSize = Static<typeof DatabaseSizeSchema>;
