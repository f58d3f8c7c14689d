import config from '../../reconciler.config.ts';
import { nameVariable } from './identities.ts';

/** The configuration of this repository with another name. */
export default { ...config, identity: { name: process.env[nameVariable] ?? '' } };
