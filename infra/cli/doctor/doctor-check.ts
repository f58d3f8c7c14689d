import type { Config } from '../../../shared/config/config.ts';
import { present } from '../../../shared/json.ts';
import type { ApiProbe } from '../base/probe.ts';
import type { Remedies } from './remedies.ts';

export interface Installation
  extends Pick<Config, 'kinds' | 'identity' | 'namespaces' | 'ownIdentity'> {
  readonly probe: ApiProbe;
  readonly now: () => Date;
  /** The user to check instead of the users in OWN_IDENTITY. */
  readonly as: string | undefined;
  readonly remedies: Remedies;
  readonly allowsLoss: boolean;
}

export interface DoctorCheck {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** A command or an instruction; present for every failure. */
  readonly remedy?: string;
}

export const ok = (name: string, message: string): DoctorCheck => ({ name, state: 'ok', message });

/** Reports that a requirement needs attention, or cannot be checked. */
export const warn = (name: string, message: string, remedy?: string): DoctorCheck => ({
  name,
  state: 'warn',
  message,
  ...present({ remedy }),
});

export const fail = (name: string, message: string, remedy: string): DoctorCheck => ({
  ...warn(name, message, remedy),
  state: 'fail',
});

export const whyUnread = ({ code, message }: { code: number; message: string }): string =>
  code === 403 ? 'this user may not read it' : message;
