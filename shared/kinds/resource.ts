/** Everything of a resource that its children may depend on. */
export interface Resource<Spec> {
  readonly name: string;
  /** Empty for a cluster-scoped resource. */
  readonly namespace: string;
  readonly uid: string;
  /** Valid, with its defaults. */
  readonly spec: Spec;
}
