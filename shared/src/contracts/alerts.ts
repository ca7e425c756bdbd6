import { type Static, Type } from '../schema/type.ts';

/** A problem that the Overview shows. */
const AlertSchema = Type.Object({
  /** The same for the same problem. */
  id: Type.String({ maxLength: 256 }),
  severity: Type.Union([Type.Literal('bad'), Type.Literal('warning')]),
  title: Type.String(),
  advice: Type.String(),
});
export type Alert = Static<typeof AlertSchema>;

/** Far more than there are rules. */
const mostAlerts = 200;

/** The report of a gateway to the auth service: all problems that the gateway knows at the moment. */
export const AlertsSchema = Type.Object({ alerts: Type.Array(AlertSchema, { maxItems: mostAlerts }) });

/** Soon for a person, and cheap: gathering the figures of all processes takes milliseconds. */
export const alertsEveryMs = 30_000;
