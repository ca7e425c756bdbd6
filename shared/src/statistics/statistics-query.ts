import { Type } from 'typebox';
import { stepsKept } from './step-ring.ts';

/** The query of the statistics. The gateway answers it; the service that decides about access validates it. */
export const StatisticsQuerySchema = Type.Object(
  {
    steps: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: stepsKept,
        default: stepsKept,
        description: 'How many of the latest points each series has at most: 360 are an hour.',
      }),
    ),
  },
  { additionalProperties: false },
);
