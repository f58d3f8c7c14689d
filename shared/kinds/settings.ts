/** What an installation decides for the kinds, from its environment. */
export interface Settings {
  /** Where protected endpoints send a request to be authorized; undefined: none can be exposed. */
  readonly authUrl: string | undefined;
  readonly ingressClass: string;
}

export const defaultSettings: Settings = { authUrl: undefined, ingressClass: 'nginx' };
