import { contentVariables, gatewayVariables } from '@latchkey/shared/config';

/** What the content service reads of the configuration. */
export const contentServiceVariables = {
  ...contentVariables,
  publicUrl: gatewayVariables.publicUrl,
};
