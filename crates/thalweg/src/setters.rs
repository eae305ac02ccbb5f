//! What builders have in common: methods that set a choice and hand the builder on.

/// The setters of a builder, each named after the field it sets, in the builder itself or `in` one of its fields:
/// `setters! { /// Minimum or maximum. order in options: Order, /// Chooses the device. device: Device }`.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident $(in $holder:ident)?: $choice:ty),+ $(,)?) => {$(
        $(#[$doc])*
        pub fn $name(mut self, $name: impl Into<$choice>) -> Self {
            self.$($holder.)?$name = $name.into();
            self
        }
    )+};
}
pub(crate) use setters;
