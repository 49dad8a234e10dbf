// SPDX-License-Identifier: Apache-2.0
//! Structs that know where their fields are.

/// One field of a struct.
#[derive(Debug)]
pub struct Field {
    /// Its name in C.
    pub name: &'static str,
    /// Where it begins, in bytes.
    pub offset: usize,
    /// How many bytes it takes.
    pub size: usize,
}

/// What a C compiler must agree with.
#[derive(Debug)]
pub struct Layout {
    /// The name of the struct in C.
    pub name: &'static str,
    /// How many bytes it takes.
    pub size: usize,
    /// In the order of their offsets.
    pub fields: &'static [Field],
}

/// Declares structs, and the list of their layouts.
#[macro_export]
#[doc(hidden)]
macro_rules! c_structs {
    ($(pub struct $name:ident { $(pub $field:ident: $type:ty,)* })*) => {
        $(
            #[repr(C)]
            #[derive(Clone, Copy)]
            pub struct $name { $(pub $field: $type,)* }
        )*

        pub(crate) const LAYOUTS: &[$crate::Layout] = &[$(
            $crate::Layout {
                name: stringify!($name),
                size: size_of::<$name>(),
                fields: &[$($crate::Field {
                    name: stringify!($field),
                    offset: std::mem::offset_of!($name, $field),
                    size: {
                        const fn of<T>(_: fn(&$name) -> &T) -> usize {
                            size_of::<T>()
                        }
                        of(|whole| &whole.$field)
                    },
                },)*],
            },
        )*];
    };
}
