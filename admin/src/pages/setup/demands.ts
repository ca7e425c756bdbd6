import type { SetupState } from '../../api/resources.ts';

export interface Demand {
  label: string;
  explanation: string;
  /** Where the server did not take what was entered. */
  refusal: string;
}

/** What the server demands of whoever claims it (the contract, section 4), in words. */
export const demands: Record<SetupState['credential'], Demand | null> = {
  none: null,
  'bootstrap-key': {
    label: 'Bootstrap key',
    explanation:
      'The value of ADMIN_API_KEY in the configuration of the server. It is asked for because you do not come straight from the machine itself.',
    refusal: 'That is not the value of ADMIN_API_KEY.',
  },
  'setup-token': {
    label: 'Setup token',
    explanation: 'The value of SETUP_TOKEN in the configuration of the server.',
    refusal: 'That is not the value of SETUP_TOKEN.',
  },
};
