import { contentVariables, gatewayVariables, presignVariables, type Values } from '@latchkey/shared/config';

/** What the content service reads of the configuration. */
export const contentServiceVariables = {
  ...contentVariables,
  ...presignVariables,
  publicUrl: gatewayVariables.publicUrl,
};

export type ContentServiceConfig = Values<typeof contentServiceVariables>;
