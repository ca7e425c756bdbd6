import { type Static, Type } from 'typebox';
import { nullable } from './record.ts';

const ContentStateSchema = Type.Object({
  status: Type.Enum(['active', 'disabled']),
  keyVersion: Type.Integer({
    description: "The version of the master key that this content's keys are derived with; it never changes.",
  }),
});
export type ContentState = Static<typeof ContentStateSchema>;
export type ContentStatus = ContentState['status'];

/** The content service's answer to other services. */
export const ContentAnswerSchema = Type.Object({ content: nullable(ContentStateSchema) });

/** The content service as other services see it. */
export interface ContentReader {
  /**
   * @returns null where the content is not registered
   * @throws AppError DEPENDENCY_UNAVAILABLE where the state cannot be known
   */
  findContent(contentId: string): Promise<ContentState | null>;
}
