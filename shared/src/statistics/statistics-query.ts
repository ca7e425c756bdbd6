import { Type } from 'typebox';
import { stepsKept } from './step-ring.ts';

/** What may be asked of the statistics: by the gateway, and checked by the service that decides who may. */
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
