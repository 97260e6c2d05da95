import re
pat=re.compile(r'<<<<<<< [^\n]*\n(.*?)=======\n(.*?)>>>>>>> [^\n]*\n',re.S)
p='kai/src/unified.hpp'; s=pat.sub(lambda m:m.group(2),open(p).read())
s=re.sub(r'(        static constexpr const char\* name = "kai_" #NAME; *\\\n)',r'        static constexpr kai::Getter kai_getter = {"kai_", #NAME}; \\\n\1',s); open(p,'w').write(s)
p='kai/src/unified_pack.hpp'; s=pat.sub(lambda m:m.group(2),open(p).read())
s=re.sub(r'(        static constexpr const char\* name = "kai_" #NAME; *\\\n)',r'        static constexpr kai::Getter kai_getter = {"kai_", #NAME}; \\\n\1',s)
s=s.replace('NAME##_packer::packed().format.panel_tail ?','NAME##_packer::format().panel_tail ?')
i=s.index('#define KAI_DEFINE_RHS_PACK_API'); j=s.index('        static void run(',i)
s=s[:j]+'''        static const kai::Format& format() { \\
            [[maybe_unused]] constexpr kai::AnyLength kai_getter = {}; \\
            return (PACKED).format; \\
        } \\
'''+s[j:]
open(p,'w').write(s)
p='kai/ukernels/dwconv/pack/rhs_dwconv_pack_sme.cpp'; s=open(p).read()
def r(m):
    a,b=m.group(1),m.group(2)
    if '#include' in a: return '#include "kai/src/getters.hpp"\n'
    b=b.replace('return kai::packed_size<ELEMENT>(filter_height, filter_width, num_channels);','return kai::packed_size<ELEMENT>({"kai_rhs_get_dst_size_", #NAME}, filter_height, filter_width, num_channels);')
    return b
s=pat.sub(r,s); open(p,'w').write(s)
