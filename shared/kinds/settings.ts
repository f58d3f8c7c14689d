/** Settings of an installation that the kinds depend on, from its environment. */
export interface Settings {
  /** Where requests to protected endpoints are sent to be authorized; undefined: none can be exposed. */
  readonly authUrl: string | undefined;
  readonly ingressClass: string;
}

export const defaultSettings: Settings = { authUrl: undefined, ingressClass: 'nginx' };
